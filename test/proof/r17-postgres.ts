// R17: a Postgres that is gone, stands still or cannot be heard takes nothing that was acknowledged and doubles nothing, no
// purchase is missed, and the program goes on by itself when it is back.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SwallowingProxy, startSwallowingProxy } from '../support/swallowing-proxy.ts';
import { ALTERATIONS, startAlteringFront } from './parts/altering-front.ts';
import { Cluster } from './parts/cluster.ts';
import { HealthWatch } from './parts/health-watch.ts';
import { type Installation, installationAt } from './parts/installation.ts';
import { PLANTED } from './parts/planted.ts';
import { jsonCommand, type RunningServer, startServer } from './parts/processes.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import { openServer, type Reader } from './parts/reader.ts';
import { type Received, type Receiver, startReceiver } from './parts/receiver.ts';
import { layGround, Strain } from './parts/strain.ts';
import { judgeStrain, type Planted, StrainFindings } from './parts/strain-judge.ts';
import { untilEnded } from './parts/webhook-scene.ts';

/** What happens to the database. */
type Blow = 'end sessions' | 'kill' | 'stand still' | 'swallow';

const BLOWS: readonly Blow[] = [
  ...Array.from<Blow>({ length: 10 }).fill('end sessions'),
  ...Array.from<Blow>({ length: 3 }).fill('kill'),
  'stand still',
  'swallow',
  'swallow',
];
const QUICK_BLOWS: readonly Blow[] = ['end sessions', 'kill', 'stand still', 'swallow'];
const FAULT_BLOWS: readonly Blow[] = ['end sessions', 'kill'];
const SECONDS: Readonly<Record<Blow, number>> = {
  'end sessions': 0,
  kill: 3,
  'stand still': 30,
  swallow: 15,
};
const QUICK_SECONDS = 7;
const TOLD_MS = 2000;
const RECOVERED_MS = 5000;
/** No request waits longer for a database that does not answer. */
const ANSWERED_MS = 8000;
const LONGEST_MS = 20_000;
const WORK_MS = 700;
/** Deliveries that may be under way when the database goes. */
const IN_FLIGHT = 20;
const DELIVERED_MS = 90_000;

interface Scene {
  readonly cluster: Cluster;
  readonly proxy: SwallowingProxy;
  readonly strain: Strain;
  readonly watch: HealthWatch;
  readonly found: StrainFindings;
  readonly bench: ProofBench;
}

async function play(bench: ProofBench, blows: readonly Blow[], plant = ''): Promise<Outcome> {
  const planted = PLANTED[plant] ?? null;
  const cluster = await Cluster.make(join(bench.folder, 'cluster'));
  const proxy = await startSwallowingProxy(cluster.url);
  const receiver = await startReceiver();
  const database = { ...bench.database, url: proxy.url };
  const installation = installationAt({ ...bench, database }, 'away', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'fatal',
    APPCTL_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const server = await startServer(installation.launch);
  try {
    const ground = await layGround(installation, server.url);
    await subscribe(installation, receiver);
    const alter = ALTERATIONS[plant]?.();
    const front = alter ? await startAlteringFront(server.url, alter) : null;
    const url = front?.url ?? server.url;
    const strain = new Strain(url, ground, bench.random, { mayTurnAway: false });
    const scene = { cluster, proxy, strain, watch: new HealthWatch(url), found: new StrainFindings(), bench };
    for (const blow of blows) await strike(scene, blow);
    await conclude(scene, { installation, server, receiver }, planted, blows.length);
    front?.close();
    return scene.found.outcome(planted?.kind);
  } finally {
    await server.kill();
    await receiver.stop();
    proxy.close();
    await cluster.stop();
  }
}

async function subscribe({ launch }: Installation, receiver: Receiver): Promise<void> {
  const where = ['--service', 'license', '--url', `${receiver.url}/hook/all`, '--name', 'all'];
  const words = ['webhook', 'create', ...where, '--event', '*', '--product', 'editor'];
  const { secret } = await jsonCommand<{ secret: string }>(launch, words);
  await receiver.listen({ name: 'all', secret, script: { by: 'arrival', replies: [200] }, delayMs: 30 });
}

const begin: Readonly<Record<Blow, (scene: Scene) => unknown>> = {
  'end sessions': ({ cluster }) => cluster.endSessions(),
  kill: ({ cluster }) => cluster.kill(),
  'stand still': ({ cluster }) => cluster.signal('SIGSTOP'),
  swallow: ({ proxy }) => proxy.swallow(),
};

const end: Readonly<Record<Blow, (scene: Scene) => unknown>> = {
  'end sessions': () => undefined,
  kill: ({ cluster }) => cluster.start(),
  'stand still': ({ cluster }) => cluster.signal('SIGCONT'),
  swallow: ({ proxy }) => proxy.recover(),
};

async function strike(scene: Scene, blow: Blow): Promise<void> {
  const { strain, watch, found, bench } = scene;
  await sleep(WORK_MS + bench.random.below(WORK_MS));
  const fromMs = performance.now();
  strain.slowestMs = 0;
  await begin[blow](scene);
  const seconds = bench.quick ? Math.min(SECONDS[blow], QUICK_SECONDS) : SECONDS[blow];
  if (seconds > 0) {
    const told = (await watch.until(503, fromMs, LONGEST_MS)) ?? LONGEST_MS;
    const isLoud = blow === 'kill';
    found.most(isLoud ? 'told_ms' : 'told_of_silence_ms', told);
    found.late.unless(told <= TOLD_MS, () => `${blow}: told after ${told} ms`);
    await sleep(Math.max(0, fromMs + seconds * 1000 - performance.now()));
  }
  found.most('slowest_ms', strain.slowestMs);
  found.late.unless(strain.slowestMs <= ANSWERED_MS, () => `${blow}: a write took ${strain.slowestMs} ms`);
  await end[blow](scene);
  await recover(scene, blow);
  found.add('blows', 1);
}

async function recover({ strain, watch, found }: Scene, blow: Blow): Promise<void> {
  const fromMs = performance.now();
  const { acked } = strain.ledger;
  const health = await watch.until(200, fromMs, LONGEST_MS);
  while (strain.ledger.acked === acked && performance.now() < fromMs + LONGEST_MS) await sleep(10);
  const recovered = Math.max(health ?? LONGEST_MS, Math.round(performance.now() - fromMs));
  found.most('recovered_ms', recovered);
  found.late.unless(
    recovered <= RECOVERED_MS,
    () => `${blow}: it recovered after ${recovered} ms (${health})`,
  );
}

async function conclude(
  { cluster, strain, watch, found }: Scene,
  {
    installation,
    server,
    receiver,
  }: { installation: Installation; server: RunningServer; receiver: Receiver },
  planted: Planted | null,
  blows: number,
): Promise<void> {
  await strain.end();
  await watch.stop();
  const reader = await openServer(cluster.url);
  try {
    await judgeStrain(found, { installation, reader }, strain, planted);
    if (planted !== null) return;
    const waiting = await untilEnded(reader, DELIVERED_MS);
    found.lost.unless(waiting === 0, () => `${waiting} deliveries still wait`);
    await judgeDeliveries(reader, await receiver.received(), found, blows);
  } finally {
    await reader.close();
    await found.stop(server);
  }
}

/** Everybody is told of everything, in the same words; again only of what was under way when the database went. */
async function judgeDeliveries(
  reader: Reader,
  received: readonly Received[],
  found: StrainFindings,
  blows: number,
): Promise<void> {
  const owed = await reader.all<{ id: string }>('SELECT event_id AS id FROM webhook_deliveries');
  const bodies = Map.groupBy(received, ({ id }) => id);
  found.add('deliveries', owed.length);
  found.lost.unless(bodies.size >= owed.length, () => `${bodies.size} of ${owed.length} deliveries came`);
  const again = received.length - bodies.size;
  found.add('delivered_again', again);
  found.partial.unless(again <= blows * IN_FLIGHT, () => `${again} deliveries came again`);
  for (const [id, list] of bodies) {
    const isSame = new Set(list.map(({ bodyHash }) => bodyHash)).size === 1;
    found.partial.unless(isSame, () => `${id} came with other words`);
  }
}

const FAULTS = ['answers-anyway', 'always-healthy', 'needs-a-restart', 'half-change', 'second-license'];

export const r17: Proof = {
  id: 'R17',
  databases: ['postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: Object.fromEntries(
    FAULTS.map((name) => [name, (bench: ProofBench) => play(bench, FAULT_BLOWS, name)]),
  ),
  run: (bench) => play(bench, bench.quick ? QUICK_BLOWS : BLOWS),
};
