// R18: jobs go on when the process that runs them is gone, and nothing happens twice when it comes back.
import { join } from 'node:path';
import { type Client, createClient } from './parts/client.ts';
import {
  createApiKey,
  createProduct,
  type Installation,
  installationAt,
  withKey,
} from './parts/installation.ts';
import { type Blow, type Nodes, playRound, type Round, type Work } from './parts/leadership.ts';
import { jsonCommand, type RunningServer, startServer } from './parts/processes.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import { openReader, openServer, type Reader } from './parts/reader.ts';

const NODES = 2;
const TAKEOVER_MS = 5000;
const STOP_SECONDS = 60;
const QUICK_STOP_SECONDS = 12;
/** Longer than a lease, so that another process has ended the work by then. */
const FAULT_STOP_SECONDS = 8;
const KILLS_EACH = 3;
/** Licenses of each job, and machines on each of them in every round. */
const LICENSES = 200;
const PER_LICENSE = 10;
const PER_BULK = 20;
/** A run may end in the moment in which its process is taken away. */
const MOST_TRIES = 10;
const FAULT_MACHINES = 300;
const LONG_AGO = '2020-01-01T00:00:00.000Z';

async function run(bench: ProofBench): Promise<Outcome> {
  const installation = installationAt(bench, 'led', { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'error' });
  const start = (): Promise<RunningServer> => startServer(installation.launch);
  const first = await start();
  const reader = await openReader(installation);
  const works = await furnish(installation, first, reader);
  const stop: Blow = { kind: 'stop', seconds: bench.quick ? QUICK_STOP_SECONDS : STOP_SECONDS };
  const kills: Blow[] = Array.from({ length: bench.quick ? 1 : KILLS_EACH }, () => ({
    kind: 'kill',
    seconds: 0,
  }));
  return prove({ reader, start }, first, works, [...kills, stop]);
}

/** Each job meets each blow. */
async function prove(
  nodes: Nodes,
  first: RunningServer,
  works: readonly Work[],
  blows: readonly Blow[],
): Promise<Outcome> {
  const servers = [first];
  try {
    while (servers.length < NODES) servers.push(await nodes.start());
    const rounds: Round[] = [];
    let number = 0;
    for (const blow of blows) {
      for (const work of works) {
        const before = rounds.length;
        for (let tries = 0; rounds.length === before; tries++) {
          if (tries === MOST_TRIES) throw new Error(`nobody was caught at ${work.job}`);
          const round = await playRound(nodes, servers, work, blow, ++number);
          if (round) rounds.push(round);
        }
      }
    }
    return outcomeOf(rounds);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await nodes.reader.close();
  }
}

function outcomeOf(rounds: readonly Round[]): Outcome {
  const notes: string[] = [];
  for (const { what, takeoverMs, doubled, missed } of rounds) {
    if (takeoverMs > TAKEOVER_MS) notes.push(`${what}: nobody took over for ${takeoverMs} ms`);
    if (doubled.length > 0) notes.push(`${what}: ${doubled.slice(0, 3).join(', ')}`);
    if (missed > 0) notes.push(`${what}: ${missed} machines were left`);
  }
  const sum = (of: (round: Round) => number): number => rounds.reduce((all, round) => all + of(round), 0);
  const figures = {
    kills: rounds.filter(({ what }) => what.includes(' kill ')).length,
    stops: rounds.filter(({ what }) => what.includes(' stop ')).length,
    effects: sum(({ effects }) => effects),
    doubled: sum(({ doubled }) => doubled.length),
    missed: sum(({ missed }) => missed),
    slowest_takeover_ms: Math.max(...rounds.map(({ takeoverMs }) => takeoverMs)),
  };
  return { figures, passed: notes.length === 0, notes };
}

/** Floating licenses whose leases run out, and licenses whose policy tells of machines that are not seen. */
async function furnish(installation: Installation, server: RunningServer, reader: Reader): Promise<Work[]> {
  const { id: lent } = await createProduct(installation, 'lent');
  const { id: watched } = await createProduct(installation, 'watched');
  const rules = ['--heartbeat-interval', '1', '--cull-strategy', 'NO_ACTION', '--product', 'watched'];
  await jsonCommand(installation.launch, ['policy', 'create', '--name', 'watched', ...rules]);
  const apiKey = await createApiKey(installation, 'proof');
  const client = createClient(server.url, 1);
  await createLicenses(client, apiKey, { productId: lent, type: 'FLOATING' });
  await createLicenses(client, apiKey, { productId: watched });
  client.close();
  return [
    { job: 'lease-expiry', event: 'LEASE_EXPIRED', seed: (prefix) => seed(reader, lent, 'LEASE', prefix) },
    {
      job: 'heartbeat-cull',
      event: 'HEARTBEAT_MISSED',
      seed: (prefix) => seed(reader, watched, 'NODE', prefix),
    },
  ];
}

async function createLicenses(client: Client, apiKey: string, more: object): Promise<void> {
  const license = { customerEmail: 'ann@example.com', maxActivations: 1000, ...more };
  const body = { licenses: Array.from({ length: PER_BULK }, () => license) };
  for (let made = 0; made < LICENSES; made += PER_BULK) {
    const path = '/api/v1/license/create-bulk';
    const { status, body: text } = await client.ask({ method: 'POST', path, headers: withKey(apiKey), body });
    if (status >= 300) throw new Error(`create-bulk was answered ${status}: ${text}`);
  }
}

/** Straight into the table: what has run out long ago cannot be checked out. */
const seed = (reader: Reader, productId: string, kind: 'LEASE' | 'NODE', prefix: string): Promise<number> =>
  reader.run(
    `INSERT INTO license_activations
       (id, tenant_id, license_id, kind, machine_id, activated_at, last_seen_at, lease_expires_at, created_at)
     SELECT 'act_' || upper(substr(md5(random()::text), 1, 26)), l.tenant_id, l.id, ?, ?::text || l.id || '-' || n,
       ?, ?, ?, ?
     FROM licenses l, generate_series(1, ${PER_LICENSE}) n WHERE l.product_id = ?`,
    ...[kind, prefix, LONG_AGO, LONG_AGO, kind === 'LEASE' ? LONG_AGO : null, LONG_AGO, productId],
  );

const FIXTURE_TABLES = [
  `CREATE TABLE scheduled_jobs (name text, next_due text, lock_owner text, locked_until text, fence bigint)`,
  `INSERT INTO scheduled_jobs VALUES ('end-machines', '${LONG_AGO}', NULL, NULL, 0)`,
  'CREATE TABLE machines (name text, ended_at text)',
  'CREATE TABLE events (type text, data jsonb)',
];

/** Counterparts with a planted fault, judged by the same eyes. */
const fault =
  (name: string, blow: Blow) =>
  async ({ database, folder }: ProofBench): Promise<Outcome> => {
    for (const sql of FIXTURE_TABLES) await database.execute(sql, []);
    const url = database.url ?? '';
    const launch = {
      exe: join(import.meta.dirname, 'parts/fixture-leader.ts'),
      cwd: folder,
      env: {},
      prefix: [process.execPath],
    };
    const start = (): Promise<RunningServer> => startServer(launch, ['--url', url, `--break=${name}`]);
    const reader = await openServer(url);
    const work: Work = {
      job: 'end-machines',
      event: 'ENDED',
      seed: (prefix) =>
        reader.run(
          `INSERT INTO machines SELECT ?::text || n, NULL FROM generate_series(1, ${FAULT_MACHINES}) n`,
          prefix,
        ),
    };
    return prove({ reader, start }, await start(), [work], [blow]);
  };

export const r18: Proof = {
  id: 'R18',
  // Two nodes share a database, which a file on one machine cannot be.
  databases: ['postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    'effects-without-condition': fault('effects-without-condition', {
      kind: 'stop',
      seconds: FAULT_STOP_SECONDS,
    }),
    'keeps-the-lease': fault('keeps-the-lease', { kind: 'kill', seconds: 0 }),
  },
  run,
};
