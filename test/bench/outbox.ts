// The outbox inside a server: how many deliveries a second reach a receiver, and how long validate has to wait for them.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../proof/parts/receiver.ts';
import { output, type RunningChild, startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import { openSql, type Sql } from './sql.ts';
import type { Target } from './targets.ts';

/** What the outbox did, to one webhook or to several of one receiver. */
export interface OutboxFigures {
  webhooks: number;
  /** Deliveries a second, with nothing else to do. */
  alone: number;
  /** Beside a steady load of validate. */
  steady: Beside;
  /** Beside as much of it as the server answers. */
  saturated: Beside;
}

/** Deliveries a second and p99 of validate while they are sent; `beforeMs` is the p99 without them. */
interface Beside {
  perSecond: number;
  p99Ms: number;
  beforeMs: number;
  validatesPerSecond: number;
}

const SEVERAL = 10;
const DELIVERIES = 10_000;
/** Of a database that is to measure something. */
const ENOUGH_LICENSES = 100_000;
const SLICE_SECONDS = 6;
/** A busy installation: 3.6 million an hour. */
const STEADY_PER_SECOND = 1000;
const WARM_UP_SLICES = 1;
const POLL_MS = 50;
const COMMAND_TIMEOUT_MS = 30_000;
const DRAIN_TIMEOUT_MS = 120_000;
const MIN_PER_SECOND = 500;
const MAX_P99_MS = 50;

const target: Target = {
  name: 'validate',
  label: 'validate',
  script: 'appctl.ts',
  load: 'validate',
  database: 'large',
  isReference: false,
};

/** What takes part. */
interface Scene {
  server: RunningChild;
  installation: Installation;
  receiver: Receiver;
  sql: Sql;
  options: BenchOptions;
  deliveries: number;
}

/** Fills the outbox and lets a server empty it, alone and under load. */
export async function measureOutbox(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<OutboxFigures[]> {
  const { installations, remove } = await seedDatabases(kind, { ...options, fewLicenses: 100 });
  const installation = installations.large;
  const { dataDir, databaseUrl } = installation;
  const serverDir = join(dataDir, 'outbox');
  mkdirSync(serverDir, { mode: 0o700 });
  const [sql, receiver] = await Promise.all([openSql(databaseUrl), startReceiver()]);
  const deliveries = options.licenses >= ENOUGH_LICENSES ? DELIVERIES : DELIVERIES / 10;
  try {
    await keepMachines(sql);
    const server = await startServer(target.script, { dataDir, databaseUrl, serverDir, runsJobs: true });
    const scene: Scene = { server, installation, receiver, sql, options, deliveries };
    try {
      return await measureAll(scene, serverDir, say);
    } finally {
      await server.stop();
    }
  } finally {
    await Promise.all([receiver.stop(), sql.close()]);
    await remove();
  }
}

/** The server runs jobs, as it must to empty its outbox: it shall not cull the machines that are asked for. */
async function keepMachines(sql: Sql): Promise<void> {
  const fresh = new Date(Date.now() + 60_000).toISOString();
  await sql.run('UPDATE license_activations SET last_seen_at = ?', [fresh]);
  await sql.settle();
}

async function measureAll(
  scene: Scene,
  serverDir: string,
  say: (line: string) => void,
): Promise<OutboxFigures[]> {
  const ids: string[] = [];
  for (let n = 0; n < SEVERAL; n++) ids.push(await createWebhook(scene, serverDir, n));
  // A server that has just started compiles its code under the first requests and deliveries.
  for (let n = 0; n < WARM_UP_SLICES; n++) await validate(scene);
  await send(scene, ids);
  const figures: OutboxFigures[] = [];
  for (const some of [ids.slice(0, 1), ids]) figures.push(await measure(scene, some, say));
  return figures;
}

async function measure(
  scene: Scene,
  ids: readonly string[],
  say: (line: string) => void,
): Promise<OutboxFigures> {
  const webhooks = ids.length;
  const alone = await send(scene, ids);
  const steady = await measureBeside(scene, ids, STEADY_PER_SECOND);
  const saturated = await measureBeside(scene, ids);
  const text = ({ perSecond, p99Ms, beforeMs, validatesPerSecond }: Beside) =>
    `${Math.round(perSecond)}/s beside ${Math.round(validatesPerSecond)} validates/s with p99 ${p99Ms.toFixed(1)} ms (${beforeMs.toFixed(1)} before)`;
  say(`outbox, ${webhooks} webhook(s): ${Math.round(alone)}/s alone; ${text(steady)}; ${text(saturated)}`);
  return { webhooks, alone, steady, saturated };
}

async function measureBeside(scene: Scene, ids: readonly string[], perSecond?: number): Promise<Beside> {
  const before = await validate(scene, perSecond);
  let during: Figures = before;
  const sent = await send(scene, ids, async () => {
    during = await validate(scene, perSecond);
  });
  const { p99Ms, requestsPerSecond } = during;
  return { perSecond: sent, p99Ms, beforeMs: before.p99Ms, validatesPerSecond: requestsPerSecond };
}

/** One slice of load. */
function validate(
  { server, installation, options: { connections, wrk } }: Scene,
  perSecond?: number,
): Promise<Figures> {
  const pace = perSecond === undefined ? {} : { perSecond };
  return runSlice(target, server, installation, { seconds: SLICE_SECONDS, connections, wrk, ...pace });
}

/**
 * Lets the server send what is put into its outbox.
 *
 * @param beside goes on at the same time; what is sent while it lasts is counted
 * @returns deliveries a second, from the first request to the last one, or to the end of what goes on beside it
 * @throws Error when not every delivery came, once
 */
async function send(scene: Scene, ids: readonly string[], beside?: () => Promise<void>): Promise<number> {
  const { receiver, deliveries, sql } = scene;
  await receiver.forget();
  await fill(sql, ids, deliveries);
  await beside?.();
  const counted = beside ? await receiver.tally() : null;
  const until = performance.now() + DRAIN_TIMEOUT_MS;
  while ((await waiting(sql)) > 0) {
    if (performance.now() > until) throw new Error('the outbox was not emptied in time');
    await sleep(POLL_MS);
  }
  const whole = await receiver.tally();
  if (whole.requests !== deliveries)
    throw new Error(`${whole.requests} requests for ${deliveries} deliveries`);
  const { requests, firstMs, lastMs } = counted ?? whole;
  return ((requests - 1) * 1000) / (lastMs - firstMs);
}

const waiting = (sql: Sql): Promise<number> => sql.number('SELECT count(*) AS n FROM outbox');

let fills = 0;

/** As many changes would leave them: rows of both tables, due now, of every webhook the same number. */
async function fill(sql: Sql, ids: readonly string[], count: number): Promise<void> {
  fills += 1;
  const at = new Date().toISOString();
  for (const [n, webhookId] of ids.entries()) {
    // Thirty characters, as of every id.
    const each = `WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${count / ids.length})`;
    const id = `'dlv_${'0'.repeat(14)}${10 + fills}${10 + n}' || cast(10000000 + i AS text)`;
    await sql.run(
      `INSERT INTO webhook_deliveries (id, webhook_id, tenant_id, event_id, event, subject, body, state, is_test, run,
         attempts, next_attempt_at, created_at)
       ${each} SELECT ${id}, w.id, w.tenant_id, ${id}, 'LICENSE_CREATED', 'bench', ?, 'PENDING', w.enabled <> w.enabled,
         0, 0, ?, ? FROM numbers CROSS JOIN webhooks w WHERE w.id = ?`,
      [body, at, at, webhookId],
    );
    await sql.run(
      `INSERT INTO outbox (id, kind, target, ref_id, available_at, created_at, attempts)
       ${each} SELECT ${id}, 'webhook', ?, ${id}, ?, ?, 0 FROM numbers`,
      [webhookId, at, at],
    );
  }
}

/** Of the usual size. */
const body = JSON.stringify({
  event: 'LICENSE_CREATED',
  timestamp: '2026-03-01T12:00:00.000Z',
  data: {
    licenseId: 'lic_01JNA8ZQ4N6T2V9X3B5C7D0E1F',
    licenseKeyPrefix: 'APP-7F3K',
    customerId: 'cus_01JNA8ZQ4N6T2V9X3B5C7D0E1F',
    status: 'ACTIVE',
    product: { name: 'Demo App', slug: 'demo-app' },
    machineIds: ['a3f1c29e7b604d58'],
    details: {
      type: 'PERPETUAL',
      tier: 'PERSONAL',
      maxActivations: 3,
      validUntil: null,
      orderId: 'order-10001',
    },
  },
});

/** @returns its id */
async function createWebhook(
  { installation: { dataDir, databaseUrl }, receiver }: Scene,
  serverDir: string,
  n: number,
): Promise<string> {
  const bin = join(import.meta.dirname, '../../bin/appctl.js');
  const name = `bench-${n}`;
  const words = [
    '--service',
    'license',
    '--url',
    `${receiver.url}/hook/${name}`,
    '--name',
    name,
    '--event',
    'LICENSE_CREATED',
  ];
  const printed = await output(
    process.execPath,
    [bin, 'webhook', 'create', ...words, '--json'],
    COMMAND_TIMEOUT_MS,
    {
      APPCTL_DATA_DIR: serverDir,
      APPCTL_DATABASE_URL: databaseUrl,
      APPCTL_MASTER_KEY_FILE: join(dataDir, 'master.key'),
      APPCTL_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
    },
  );
  const { id, secret } = JSON.parse(printed) as { id: string; secret: string };
  await receiver.listen({ name, secret, script: { by: 'arrival', replies: [200] }, delayMs: 0 });
  return id;
}

/** What was promised of the outbox. */
export const judgeOutbox = (kind: DatabaseKind, all: readonly OutboxFigures[]): Verdict[] =>
  all.flatMap(({ webhooks, alone, steady, saturated }) => {
    const to = `${kind}: to ${webhooks === 1 ? 'one webhook' : `${webhooks} webhooks`}`;
    const rate = (what: string, value: number): Verdict => ({
      what: `${to}, ${what}`,
      asked: `≥ ${MIN_PER_SECOND}/s`,
      measured: `${Math.round(value).toLocaleString('en')}/s`,
      ok: value >= MIN_PER_SECOND,
    });
    const p99 = (what: string, { p99Ms, beforeMs }: Beside): Verdict => ({
      what: `${to}, p99 of ${what} (${beforeMs.toFixed(1)} ms without deliveries)`,
      asked: `≤ ${MAX_P99_MS} ms`,
      measured: `${p99Ms.toFixed(1)} ms`,
      ok: p99Ms <= MAX_P99_MS,
    });
    const loads = [
      [`${STEADY_PER_SECOND.toLocaleString('en')} validates/s`, steady],
      ['saturating validates', saturated],
    ] as const;
    const beside = loads.flatMap(([load, it]) => [rate(`beside ${load}`, it.perSecond), p99(load, it)]);
    return [rate('alone', alone), ...beside];
  });
