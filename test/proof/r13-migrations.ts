// R13: a migration from any earlier schema that is killed leaves no half step, and the next start completes it.
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '#kernel/db/connect.ts';
import { databaseFile } from './parts/databases.ts';
import { createProduct, type Installation, installationAt } from './parts/installation.ts';
import { command, jsonCommand, startKilled, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

const KILLS = 100;
const FAULT_KILLS = 6;
/** Rows that every round has to find again. */
const LICENSES = { all: 5000, quick: 200 };
/** Comparing the whole schema costs as much as ten starts. */
const VERIFY_EVERY = 10;

interface Status {
  applied: { name: string }[];
  pending: { name: string }[];
}

/** What happens between a kill and the next start. */
type Meddling = (installation: Installation, bench: ProofBench, before: number) => Promise<void>;

async function run(bench: ProofBench): Promise<Outcome> {
  return kill(bench, bench.quick ? KILLS / 10 : KILLS, async () => undefined);
}

async function kill(bench: ProofBench, rounds: number, meddle: Meddling): Promise<Outcome> {
  const installation = installationAt(bench, 'migrated', { APPCTL_LOG_LEVEL: 'error' });
  const { launch } = installation;
  await (await startServer(launch)).stop();
  await createProduct(installation, 'editor');
  const count = bench.quick ? LICENSES.quick : LICENSES.all;
  await mint(installation, count);
  const { applied } = await status(installation);
  const figures = { rounds: 0, killed: 0, halfway: 0, steps_back: 0, backups: 0 };
  const complaints = new Complaints();
  // The first of them make the tables of the rows that are looked for.
  const first = applied.findIndex(({ name }) => name > '0004') + 1;
  let spanMs = 3000;
  for (let round = 0; round < rounds && complaints.count === 0; round++) {
    const target = applied[first + bench.random.below(applied.length - first)]?.name ?? '';
    await jsonCommand(launch, ['migrate', 'down', '--to', target, '--yes']);
    const before = (await status(installation)).applied.length;
    const withBackup = round % 5 === 0;
    const killed = startKilled(
      { ...launch, env: { ...launch.env, APPCTL_AUTO_MIGRATE: withBackup ? 'backup' : 'yes' } },
      ['serve', '--listen', '127.0.0.1:0'],
    );
    const from = performance.now();
    await Promise.race([sleep(200 + bench.random.below(spanMs)), killed.ready]);
    // A round that was too late says how long a start takes.
    if (killed.isReady()) spanMs = Math.max(300, Math.round(performance.now() - from));
    figures.killed += (await killed.kill()) ? 1 : 0;
    const middle = (await status(installation)).applied.length;
    figures.halfway += middle > before && middle < applied.length ? 1 : 0;
    figures.steps_back += applied.length - before;
    await meddle(installation, bench, before);
    await judge(installation, complaints, { round, target, count, all: applied.length });
    figures.rounds += 1;
  }
  const { items } = await jsonCommand<{ items: { label: string | null }[] }>(launch, ['backup', 'list']);
  figures.backups = items.filter(({ label }) => label === 'pre-migrate').length;
  complaints.unless(figures.backups > 0 || rounds < 5, () => 'no backup was made before a migration');
  return { figures, passed: complaints.count === 0, notes: complaints.notes };
}

async function mint(installation: Installation, count: number): Promise<void> {
  const words = [
    'license',
    'mint',
    '--product',
    'editor',
    '--email',
    'ann@example.com',
    '--count',
    String(count),
  ];
  words.push('--out', 'keys.txt', '--force');
  const { code, stderr } = await command(installation.launch, [...words, '--json', '--quiet']);
  if (code !== 0) throw new Error(`license mint ended with ${code}: ${stderr}`);
}

/** Pending migrations end with another code. */
async function status({ launch }: Installation): Promise<Status> {
  const { stdout, stderr } = await command(launch, ['migrate', 'status', '--json']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as Status;
}

/** The next start, as an operator makes it. */
async function judge(
  installation: Installation,
  complaints: Complaints,
  { round, target, count, all }: { round: number; target: string; count: number; all: number },
): Promise<void> {
  const { launch } = installation;
  const at = `round ${round}, from before ${target}`;
  try {
    const server = await startServer(launch);
    const health = await fetch(new URL('/api/health', server.url));
    complaints.unless(health.status === 200, () => `${at}: health answers ${health.status}`);
    await server.stop();
  } catch (error) {
    complaints.unless(false, () => `${at}: the next start failed: ${(error as Error).message.slice(0, 500)}`);
    return;
  }
  const { applied, pending } = await status(installation);
  complaints.unless(pending.length === 0, () => `${at}: ${pending.length} migrations are pending`);
  complaints.unless(
    applied.length === all,
    () => `${at}: ${applied.length} of ${all} migrations are applied`,
  );
  const { counts } = await jsonCommand<{ counts: { licenses: number } }>(launch, ['status']);
  complaints.unless(
    counts.licenses === count,
    () => `${at}: ${counts.licenses} of ${count} licenses are left`,
  );
  if (round % VERIFY_EVERY !== 0) return;
  const verified = await command(launch, ['migrate', 'verify', '--json']);
  complaints.unless(verified.code === 0, () => `${at}: the schema differs: ${verified.stdout.slice(0, 500)}`);
}

/**
 * What a program leaves that notes a step in a transaction of its own, and is killed between the two: the step is made,
 * and nobody knows.
 */
const notedApart: Meddling = async ({ dataDir }, { database }, before) => {
  const url = database.url ?? `sqlite:${databaseFile(dataDir)}`;
  const opened = await openDatabase(url, {
    poolSize: 1,
    busyTimeoutMs: 5000,
    create: false,
    onError: () => undefined,
  });
  try {
    await opened.transaction(async ({ knex }) => {
      const rows: { name: string }[] = await knex('schema_migrations').select('name').orderBy('name');
      if (rows.length > before)
        await knex('schema_migrations')
          .where({ name: rows.at(-1)?.name })
          .delete();
    });
  } finally {
    await opened.close();
  }
};

export const r13: Proof = {
  id: 'R13',
  databases: ['sqlite', 'postgres'],
  minutes: 4,
  requireTools: () => undefined,
  faults: { 'steps-noted-apart': (bench) => kill(bench, FAULT_KILLS, notedApart) },
  run,
};
