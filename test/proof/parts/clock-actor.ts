// The executable as it plays in a scene: an installation of its own that goes by a clock of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from './client.ts';
import type { Actor, Scene } from './clock-scene.ts';
import { withSchema } from './databases.ts';
import { createWallClock } from './faketime.ts';
import { createApiKey, createProduct, type Installation, installationAt, withKey } from './installation.ts';
import { jsonCommand, startServer } from './processes.ts';
import type { ProofBench } from './proof.ts';
import { openReader, type Reader } from './reader.ts';

/** An actor that goes off at the end. */
export interface Staged extends Actor {
  close(): Promise<void>;
}

/** Requests in a window. Few, so that a client has used them up at once. */
const LIMIT = { max: 5, windowSeconds: 5 } as const;
const DAY = 86_400;
/** Jobs whose interval can be waited for, and jobs that must not run before. */
const intervals = {
  'lease-expiry': 60,
  'license-expiry': 60,
  'stats-flush': 10,
  'heartbeat-cull': 300,
  abuse: 300,
  retention: DAY,
  'trash-purge': DAY,
  'delegation-renew': DAY,
};
const waiting = new Set(['lease-expiry', 'license-expiry', 'heartbeat-cull', 'retention', 'trash-purge']);
const HOUR = 3600;
/** Seconds. Shorter than a client may ask for: it ends before a job that is due each minute runs again. */
export const SHORT_LEASE = 20;

/**
 * Sets up an installation with a floating license, a machine on a lease and one for good, and a license that ends. Each
 * lasts for an hour; in scenes without a step a short lease comes on top.
 */
export async function stage(bench: ProofBench, name: string, scene: Scene): Promise<Staged> {
  const own = await withSchema(bench, name.replaceAll('-', '_'));
  const installation = installationAt(own, name, {
    ...(scene.timeZone !== undefined && { TZ: scene.timeZone }),
    APPCTL_LOG_LEVEL: 'warn',
    APPCTL_RATE_LIMIT_STORE: bench.database.url === undefined ? 'memory' : 'postgres',
  });
  const clock = createWallClock(installation.launch.cwd, scene.startsAt);
  Object.assign(installation.launch.env, clock.env);
  const server = await startServer(installation.launch);
  const client = createClient(server.url, LIMIT.max + 1);
  const reader = await openReader(installation);
  const { key, headers } = await furnish(installation, client, reader, scene, clock.nowMs);
  const probe: Actor['probe'] = (from) => client.ask({ path: `/api/v1/license/check/${key}`, headers, from });
  await untilLimited(probe);
  return {
    clock,
    reader,
    intervals,
    waiting,
    windowSeconds: LIMIT.windowSeconds,
    probe,
    exhaust: (from) => Promise.all(Array.from({ length: LIMIT.max + 1 }, () => probe(from))),
    output: server.output,
    async close() {
      client.close();
      await reader.close();
      await server.stop();
    },
  };
}

/** @returns the key of the floating license, and headers with which it may be asked for */
async function furnish(
  installation: Installation,
  client: Client,
  reader: Reader,
  { steps }: Scene,
  nowMs: () => number,
): Promise<{ key: string; headers: Record<string, string> }> {
  const { launch } = installation;
  for (const [name, value] of Object.entries(LIMIT))
    await jsonCommand(launch, ['settings', 'set', `licensing.limits.read.${name}`, String(value)]);
  const { id: productId } = await createProduct(installation, 'editor');
  const watch = ['--heartbeat-interval', '60', '--cull-strategy', 'DEACTIVATE_DEAD', '--product', 'editor'];
  await jsonCommand(launch, ['policy', 'create', '--name', 'watched', ...watch]);
  const headers = withKey(await createApiKey(installation, 'proof'));
  const post = async (name: string, body: object): Promise<{ license: { key: string } }> => {
    const answer = await client.ask({ method: 'POST', path: `/api/v1/license/${name}`, headers, body });
    if (answer.status > 201) throw new Error(`${name} was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body);
  };
  const customerEmail = 'ann@example.com';
  const validUntil = new Date(nowMs() + HOUR * 1000).toISOString();
  await post('create', { productId, customerEmail, type: 'SUBSCRIPTION', validUntil });
  const { license: node } = await post('create', { productId, customerEmail });
  await post('activate', { licenseKey: node.key, machineId: 'machine-for-good' });
  const { license } = await post('create', { productId, customerEmail, type: 'FLOATING', maxActivations: 5 });
  const lease = { licenseKey: license.key, machineId: 'machine-for-an-hour', leaseDuration: HOUR };
  await post('checkout', lease);
  // A step of a second is none that anything waits for.
  if (steps.every(({ by }) => Math.abs(by) <= 1)) {
    await post('checkout', { ...lease, machineId: 'machine-for-a-while' });
    const ends = new Date(nowMs() + SHORT_LEASE * 1000).toISOString();
    await reader.run(
      "UPDATE license_activations SET lease_expires_at = ? WHERE machine_id = 'machine-for-a-while'",
      ends,
    );
  }
  return { key: license.key, headers };
}

/** A running server follows changed settings within two seconds. */
async function untilLimited(probe: Actor['probe']): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const { headers } = await probe(`127.0.2.${1 + attempt}`);
    if (Number(headers['ratelimit-reset']) <= LIMIT.windowSeconds) return;
    await sleep(100);
  }
  throw new Error('a changed setting did not reach the server');
}
