// R12: a backup of a server at work holds up no write, is the database of one moment, and comes back equal in either
// database; what was altered, cut off or made to do harm is refused and changes nothing.
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutOff, flipped, hostile, type Trick } from './parts/archive-tricks.ts';
import { type Load, pace, type Span, startLoad } from './parts/backup-load.ts';
import { judgeMoment } from './parts/backup-moment.ts';
import {
  backUp,
  brokenIn,
  filesOf,
  livingFiles,
  makeScene,
  restoreInto,
  restoreWords,
  type Scene,
  sourceOf,
  type There,
} from './parts/backup-scene.ts';
import { type DatabaseSource, openSource } from './parts/databases.ts';
import { command, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { openFile, openServer } from './parts/reader.ts';
import { differences, sumsOf, type TableSums } from './parts/table-sums.ts';

const PER_SECOND = 200;
/** What a machine that is not idle may come to, with the proof's own clients on it. */
const LEAST_PER_SECOND = 50;
const LONGEST_WRITE_MS = 250;
const BEFORE_MS = 3000;
const MEGABYTES = 64;
const FLIPS = 12;

/** Something wrong that the proof must see. */
interface Plant {
  /** While the backup is made. */
  readonly during?: (bench: ProofBench, scene: Scene) => Promise<void>;
  /** In what was restored into a SQLite file. */
  readonly restored?: (there: There, load: Load) => Promise<void>;
  /** What judges altered archives in place of the program. */
  readonly reads?: (file: string) => Promise<number | null>;
}

interface Busy {
  readonly load: Load;
  readonly span: Span;
  readonly before: ReturnType<typeof pace>;
  readonly beside: ReturnType<typeof pace>;
  readonly file: string;
  readonly ms: number;
  readonly tables: Readonly<Record<string, number>>;
}

/** Backs up while clients write. */
export async function backUpBusy(bench: ProofBench, scene: Scene, plant: Plant): Promise<Busy> {
  const server = await startServer(scene.installation.launch);
  const load = startLoad(server.url, scene, PER_SECOND, bench.random);
  try {
    await load.forMs(BEFORE_MS);
    const now = performance.now();
    // The first second is the server's warming up.
    const before = pace(load, { fromMs: now - BEFORE_MS + 1000, toMs: now });
    const [{ made, span }] = await Promise.all([backUp(scene, 'busy.tar.zst'), plant.during?.(bench, scene)]);
    await load.forMs(1000);
    const beside = pace(load, span);
    return { load, span, before, beside, file: made.file, ms: made.ms, tables: made.manifest.tables };
  } finally {
    await load.end();
    await server.stop();
  }
}

/**
 * What the load did to the clients, and what was restored from the backup beside it.
 *
 * @returns what is in each target
 */
export async function judgeBusy(
  bench: ProofBench,
  scene: Scene,
  busy: Busy,
  targets: readonly There[],
  wrong: Complaints,
): Promise<TableSums[]> {
  const { load, span, beside, tables } = busy;
  wrong.unless(load.refused.length === 0, () => `refused: ${load.refused.slice(0, 3).join('; ')}`);
  wrong.unless(beside.longestMs <= LONGEST_WRITE_MS, () => `a write took ${beside.longestMs} ms`);
  wrong.unless(beside.perSecond >= LEAST_PER_SECOND, () => `only ${beside.perSecond} writes a second`);
  const at = sourceOf(bench, scene);
  const source = await (bench.database.kind === 'postgres' ? openServer(at) : openFile(at));
  const found = await Promise.all(targets.map((there) => sumsOf(there.at)));
  for (const [i, there] of targets.entries()) {
    const restored = await (there.at.startsWith('postgres') ? openServer(there.at) : openFile(there.at));
    await judgeMoment({ restored, source }, load, span, wrong);
    await restored.close();
    for (const [name, { rows }] of Object.entries(found[i] ?? {}))
      wrong.unless(rows === tables[name], () => `${name} has ${rows} rows instead of ${tables[name]}`);
    const differing = differences(found[0] ?? {}, found[i] ?? {});
    wrong.unless(differing.length === 0, () => `the two restores differ: ${differing.join(', ')}`);
  }
  await source.close();
  return found;
}

/** Nobody writes any more: what is restored is all that there is. */
async function judgeEqual(
  bench: ProofBench,
  scene: Scene,
  targets: readonly There[],
  wrong: Complaints,
): Promise<number> {
  const source = await sumsOf(sourceOf(bench, scene));
  const files = JSON.stringify(filesOf(scene.installation));
  for (const there of targets) {
    const differing = differences(source, await sumsOf(there.at));
    wrong.unless(differing.length === 0, () => `differs from its source: ${differing.join(', ')}`);
    const restored = JSON.stringify(filesOf(there.installation));
    wrong.unless(restored === files, () => `files differ: ${restored} instead of ${files}`);
  }
  return Object.values(source).reduce((sum, { rows }) => sum + rows, 0);
}

/** Every altered, cut off and hostile file is refused, by both commands that read one, and nothing changes. */
async function judgeRefusals(
  scene: Scene,
  file: string,
  { bench, plant, wrong }: { bench: ProofBench; plant: Plant; wrong: Complaints },
): Promise<number> {
  const { dataDir, launch } = scene.installation;
  const size = statSync(file).size;
  const flips = bench.quick ? 2 : FLIPS;
  const tricks = [
    ...flipped(file, size, flips, bench.random),
    ...cutOff(file, size),
    ...(await hostile(launch.cwd)),
  ];
  const before = livingFiles(dataDir);
  const reads = plant.reads ?? (async (path) => (await command(launch, ['backup', 'verify', path])).code);
  for (const { name, file, codes } of tricks) {
    const code = await reads(file);
    wrong.unless(codes.includes(code ?? -1), () => `verify of ${name} ended with ${code}`);
  }
  for (const { name, file, codes } of plant.reads ? [] : someOf(tricks)) {
    const words = [...restoreWords(scene, file), '--confirm', 'appctl'];
    const { code, stderr } = await command(launch, words);
    wrong.unless(codes.includes(code ?? -1), () => `restore of ${name} ended with ${code}: ${stderr}`);
  }
  const after = livingFiles(dataDir);
  wrong.unless(after === before, () => `a refused restore changed files: ${after} instead of ${before}`);
  for (const trick of tricks) rmSync(trick.file);
  return tricks.length;
}

/** One of each kind is restored, too; verifying reads the same way. */
const someOf = (tricks: readonly Trick[]): Trick[] =>
  tricks.filter(({ name }, i) => i === 2 || !/^(?:byte|the first) /.test(name));

/** A filled database is replaced with its name only. */
async function judgeName(scene: Scene, { at, installation }: There, file: string, wrong: Complaints) {
  const before = await sumsOf(at);
  for (const words of [[], ['--yes'], ['--confirm', 'another']]) {
    const { code } = await command(installation.launch, [...restoreWords(scene, file), ...words]);
    wrong.unless(code === 10, () => `restore ${words.join(' ')} into a filled database ended with ${code}`);
  }
  const differing = differences(before, await sumsOf(at));
  wrong.unless(differing.length === 0, () => `it changed ${differing.join(', ')}`);
  const named = await command(installation.launch, [...restoreWords(scene, file), '--confirm', 'appctl']);
  wrong.unless(named.code === 0, () => `with its name it ended with ${named.code}: ${named.stderr}`);
}

async function run(bench: ProofBench): Promise<Outcome> {
  const wrong = new Complaints();
  const scene = await makeScene(bench, MEGABYTES);
  const busy = await backUpBusy(bench, scene, {});
  const servers = await openSource('postgres');
  try {
    const first = await restoreBoth(bench, scene, busy.file, { servers, name: 'busy' });
    await judgeBusy(bench, scene, busy, first, wrong);
    for (const there of first)
      for (const broken of await brokenIn(there, scene)) wrong.unless(false, () => broken);
    const { made } = await backUp(scene, 'quiet.tar.zst');
    const second = await restoreBoth(bench, scene, made.file, { servers, name: 'quiet' });
    const rows = await judgeEqual(bench, scene, second, wrong);
    for (const there of second) await judgeName(scene, there, made.file, wrong);
    const refused = await judgeRefusals(scene, made.file, { bench, plant: {}, wrong });
    return outcomeOf(busy, wrong, { rows, restores: first.length + second.length, refused });
  } finally {
    await servers.stop();
  }
}

/** Into a SQLite file, and into Postgres. */
async function restoreBoth(
  bench: ProofBench,
  scene: Scene,
  file: string,
  { servers, name }: { servers: DatabaseSource; name: string },
): Promise<There[]> {
  const { url } = await servers.create('');
  return [
    await restoreInto(bench, scene, file, { name: `${name}-sqlite`, url: undefined }),
    await restoreInto(bench, scene, file, { name: `${name}-postgres`, url }),
  ];
}

export function outcomeOf(
  { load, before, beside, ms }: Busy,
  wrong: Complaints,
  more: Record<string, number>,
): Outcome {
  const figures = {
    writes: load.clients.flat().length,
    backup_ms: ms,
    writes_per_s: beside.perSecond,
    longest_before_ms: before.longestMs,
    longest_write_ms: beside.longestMs,
    ...more,
    wrong: wrong.count,
  };
  return { figures, passed: wrong.count === 0, notes: wrong.notes };
}

/** A short run in which one thing is wrong. */
const fault =
  (plant: Plant) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const wrong = new Complaints();
    const scene = await makeScene(bench, 0);
    const busy = await backUpBusy(bench, scene, plant);
    const there = await restoreInto(bench, scene, busy.file, { name: 'restored', url: undefined });
    if (plant.reads)
      return outcomeOf(busy, wrong, {
        refused: await judgeRefusals(scene, busy.file, { bench, plant, wrong }),
      });
    const files = JSON.stringify(filesOf(there.installation));
    await plant.restored?.(there, busy.load);
    await judgeBusy(bench, scene, busy, [there], wrong);
    wrong.unless(JSON.stringify(filesOf(there.installation)) === files, () => 'a file is not there');
    return outcomeOf(busy, wrong, {});
  };

const inRestored =
  (sql: string) =>
  async ({ at }: There, { clients }: Load): Promise<void> => {
    const reader = await openFile(at);
    const changed = await reader.run(sql, clients[0]?.[3]?.id ?? '');
    await reader.close();
    if (changed === 0) throw new Error('nothing was planted');
  };

/** Keeps every writer waiting for half a second. */
async function holdWriters({ database }: ProofBench, scene: Scene): Promise<void> {
  if (database.kind === 'postgres')
    return database.execute('DO $$ BEGIN LOCK TABLE licenses; PERFORM pg_sleep(0.5); END $$', []);
  const reader = await openFile(join(scene.installation.dataDir, 'appctl.db'));
  await reader.run('BEGIN IMMEDIATE');
  await sleep(500);
  await reader.run('ROLLBACK');
  await reader.close();
}

/** What a backup of any size could do wrong. */
export const faultsOfAnySize = {
  'write-lost': fault({ restored: inRestored('DELETE FROM licenses WHERE id = ?') }),
  'held-writers': fault({ during: holdWriters }),
};

export const r12: Proof = {
  id: 'R12',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    ...faultsOfAnySize,
    'half-a-transaction': fault({
      restored: inRestored('DELETE FROM license_idempotency WHERE license_id = ?'),
    }),
    'changed-value': fault({
      restored: inRestored("UPDATE licenses SET updated_at = '2020-01-01T00:00:00.000Z' WHERE id = ?"),
    }),
    'missing-bundle': fault({
      restored: async ({ installation }) =>
        rmSync(join(installation.dataDir, 'bundles'), { recursive: true }),
    }),
    'unnoticed-flip': fault({
      // The tools of zstd and tar see neither the last frame nor who made the archive.
      reads: async (file) => (spawnSync('zstd', ['-tq', file]).status === 0 ? 0 : 6),
    }),
  },
  run,
};
