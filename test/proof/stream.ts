// STREAM: a server with backup.stream is killed under load and its disk is lost, again and again: what comes back is at
// most five seconds old and has no holes, and an earlier moment has exactly what was committed by then. A bundle and a
// picture that were uploaded meanwhile are there again, too.
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, type Span, startLoad } from './parts/backup-load.ts';
import { judgeMoment } from './parts/backup-moment.ts';
import {
  brokenIn,
  filesOf,
  makeScene,
  type Scene,
  sendPicture,
  ship,
  sourceOf,
} from './parts/backup-scene.ts';
import { installationAt } from './parts/installation.ts';
import { command, type RunningServer, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { openFile } from './parts/reader.ts';

const ROUNDS = 20;
const PER_SECOND = 200;
const MOST_LOST_MS = 5000;
/** A segment is complete after the last commit in it, and a moment has whole segments. */
const MOST_EARLIER_MS = 4000;
const LOAD_MS = { least: 6000, most: 12_000 } as const;
const FIRST_COPY_MS = 30_000;

/** Something wrong that the proof must see. */
interface Plant {
  /** In what the place has once the server is dead. @param killedAt Unix milliseconds */
  readonly placed?: (folder: string, killedAt: number) => void;
  /** How long clients write; drawn when left out. */
  readonly loadMs?: number;
  /** Asked for in place of the moment that is judged. */
  readonly laterMs?: number;
}

interface Round {
  readonly load: Load;
  /** Of `performance.now()`. */
  readonly killedMs: number;
  /** A moment of the load, likewise. */
  readonly momentMs: number;
  /** Digests of the files that were there by then, by path. */
  readonly files: Readonly<Record<string, string>>;
}

const ON = { APPCTL_BACKUP_STREAM: 'on' };

/** Waits for the copy that a restore begins with. */
async function followed({ installation: { launch } }: Scene): Promise<void> {
  const untilMs = performance.now() + FIRST_COPY_MS;
  while (performance.now() < untilMs) {
    const { stdout } = await command(launch, ['doctor', 'db.backup-stream', '--json']);
    if (stdout.includes('"ok"')) return;
    await sleep(200);
  }
  throw new Error('the stream has no copy of the database to begin with');
}

/** Serves, lets clients write, and kills the server among them. */
async function workAndDie(
  bench: ProofBench,
  scene: Scene,
  { round, loadMs }: { round: number; loadMs: number | undefined },
): Promise<Round> {
  const server: RunningServer = await startServer(scene.installation.launch);
  await followed(scene);
  const load = startLoad(server.url, scene, PER_SECOND, bench.random);
  const forMs = loadMs ?? LOAD_MS.least + bench.random.below(LOAD_MS.most - LOAD_MS.least);
  await upload(bench, scene, server, round);
  const files = uploadedIn(scene);
  await load.forMs(Math.max(forMs / 2, MOST_EARLIER_MS));
  const momentMs = performance.now();
  await load.forMs(forMs / 2);
  const killedMs = performance.now();
  await server.kill();
  // Those whose answer died with the server are no complaint.
  await load.end();
  return { load, killedMs, momentMs, files };
}

/** By another process, and by one of the server. */
async function upload(bench: ProofBench, scene: Scene, server: RunningServer, round: number): Promise<void> {
  await ship(scene, bench, `1.${round}.0`);
  await sendPicture(server.url, scene.shopKey, `#${(0x100000 + round).toString(16)}`);
}

const wallTime = (ms: number): string => new Date(performance.timeOrigin + ms).toISOString();

interface Restoring {
  readonly scene: Scene;
  readonly name: string;
  readonly moment: string;
  /** The installation that was lost, with its master key. */
  readonly lost: string;
  readonly backups: string;
}

/** Restores a moment into a new data directory. @returns null when that fails, which is a complaint */
async function restoreMoment(
  bench: ProofBench,
  { scene, name, moment, lost, backups }: Restoring,
  wrong: Complaints,
): Promise<Scene | null> {
  const { APPCTL_DATA_DIR: _own, ...env } = scene.installation.launch.env as Record<string, string>;
  const installation = installationAt(bench, name, { ...env, APPCTL_BACKUP_DIR: backups });
  const words = ['restore', '--at', moment, '--master-key-file', join(lost, 'master.key')];
  const { code, stderr } = await command(installation.launch, words);
  wrong.unless(code === 0, () => `restore --at ${moment} ended with ${code}: ${stderr}`);
  return code === 0 ? { ...scene, installation } : null;
}

async function judge(
  bench: ProofBench,
  restored: Scene,
  lost: Scene,
  { load, span }: { load: Load; span: Span },
  wrong: Complaints,
): Promise<number> {
  const [there, source] = [await openFile(sourceOf(bench, restored)), await openFile(sourceOf(bench, lost))];
  try {
    await judgeMoment({ restored: there, source }, load, span, wrong);
    const ids = new Set((await there.all<{ id: string }>('SELECT id FROM licenses')).map(({ id }) => id));
    const missing = load.clients.flat().filter(({ id, ackedMs }) => !ids.has(id) && ackedMs <= span.toMs);
    return Math.round(Math.max(0, ...missing.map(({ ackedMs }) => span.toMs - ackedMs)));
  } finally {
    await there.close();
    await source.close();
  }
}

/** Without what a server makes of them in its own time. */
const uploadedIn = ({ installation }: Scene): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filesOf(installation)).filter(([path]) => /^bundles\/|\/original$/.test(path)),
  );

/** Demands that every file is there again that was uploaded before a moment, with the same bytes. */
function judgeFiles({ installation }: Scene, files: Round['files'], wrong: Complaints): void {
  const there = filesOf(installation);
  for (const [path, sha256] of Object.entries(files))
    wrong.unless(
      there[path] === sha256,
      () => `${path} is ${there[path] ? 'another file' : 'not there'} after the restore`,
    );
}

async function rounds(bench: ProofBench, count: number, plant: Plant): Promise<Outcome> {
  const wrong = new Complaints();
  const backups = join(bench.folder, 'backups');
  let scene = withStream(await makeScene(bench, 0), backups);
  const figures = { rounds: 0, writes: 0, longest_lost_ms: 0, longest_earlier_ms: 0 };
  for (let round = 1; round <= count && wrong.count === 0; round++) {
    const { load, killedMs, momentMs, files } = await workAndDie(bench, scene, {
      round,
      loadMs: plant.loadMs,
    });
    plant.placed?.(join(backups, 'stream'), Date.parse(wallTime(killedMs)));
    const lost = lose(scene, round);
    const order = { scene, lost: lost.installation.dataDir, backups };
    const earlier = wallTime(momentMs + (plant.laterMs ?? 0));
    const then = await restoreMoment(bench, { ...order, name: `then-${round}`, moment: earlier }, wrong);
    const now = await restoreMoment(bench, { ...order, name: `now-${round}`, moment: 'now' }, wrong);
    if (then === null || now === null) break;
    for (const restored of [then, now]) judgeFiles(restored, files, wrong);
    const atMoment = { fromMs: momentMs - MOST_EARLIER_MS, toMs: momentMs };
    const earlierMs = await judge(bench, then, lost, { load, span: atMoment }, wrong);
    const atKill = { fromMs: killedMs - MOST_LOST_MS, toMs: killedMs };
    const lostMs = await judge(bench, now, lost, { load, span: atKill }, wrong);
    figures.rounds = round;
    figures.writes += load.clients.flat().length;
    figures.longest_lost_ms = Math.max(figures.longest_lost_ms, lostMs);
    figures.longest_earlier_ms = Math.max(figures.longest_earlier_ms, earlierMs);
    scene = withStream(now, backups);
  }
  if (wrong.count === 0)
    for (const broken of await brokenIn({ installation: scene.installation, at: '' }, scene))
      wrong.unless(false, () => broken);
  return { figures: { ...figures, wrong: wrong.count }, passed: wrong.count === 0, notes: wrong.notes };
}

const withStream = (scene: Scene, backups: string): Scene => {
  const { dataDir, launch } = scene.installation;
  const env = { ...launch.env, ...ON, APPCTL_BACKUP_DIR: backups };
  return { ...scene, installation: { dataDir, launch: { ...launch, env } } };
};

/** The disk is gone for the program; the proof keeps it to compare. */
function lose(scene: Scene, round: number): Scene {
  const { launch, dataDir } = scene.installation;
  const kept = join(launch.cwd, `lost-${round}`);
  renameSync(dataDir, kept);
  return { ...scene, installation: { dataDir: kept, launch } };
}

/** Segments of the last seconds never arrived. */
function dropLast(folder: string, killedAt: number): void {
  const names = segmentsIn(folder);
  const cut = new Date(killedAt - MOST_LOST_MS - 2000).toISOString().replaceAll(/[-:.]/g, '');
  const late = names.filter((name) => (name.split('-').at(-2) ?? '') > cut);
  for (const name of late) rmSync(join(folder, name));
  if (late.length === 0) throw new Error('nothing was planted');
}

function dropMiddle(folder: string): void {
  const names = segmentsIn(folder);
  const middle = names.at(-2);
  if (middle === undefined) throw new Error('nothing was planted');
  rmSync(join(folder, middle));
}

/** A bundle that was uploaded during the load never arrived. */
function dropBundle(folder: string): void {
  const names = readdirSync(join(folder, 'files'), { recursive: true, encoding: 'utf8' })
    .filter((name) => basename(name).startsWith('bundles-'))
    .map((name) => join(folder, 'files', name))
    .sort((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs);
  const last = names.at(-1);
  if (last === undefined) throw new Error('nothing was planted');
  rmSync(last);
}

const segmentsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /-(?:end|part)$/.test(name))
    .sort();

export const stream: Proof = {
  id: 'STREAM',
  databases: ['sqlite'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    'late-segments': (bench) => rounds(bench, 1, { placed: dropLast, loadMs: 24_000 }),
    'missing-segment': (bench) => rounds(bench, 1, { placed: dropMiddle }),
    'unshipped-file': (bench) => rounds(bench, 1, { placed: dropBundle }),
    'later-than-asked': (bench) => rounds(bench, 1, { laterMs: 2500 }),
  },
  run: (bench) => rounds(bench, bench.quick ? 2 : ROUNDS, {}),
};
