// R3: what was acknowledged outlives a power cut, and the database is whole after it. A library that is loaded into the
// program keeps what a disk would hold that lost every write that was not flushed; after each cut that becomes the data,
// every other time with some of the lost blocks, or without the names that no flush of their folder covers. The first start
// of an installation is cut between any two of its flushes, and the next one must serve.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.ts';
import type { Client } from './parts/client.ts';
import { databaseFile } from './parts/databases.ts';
import { createProduct, type Installation, installationAt } from './parts/installation.ts';
import { askDoctor, examineFile, examineInvariants } from './parts/invariants.ts';
import { killUnderLoad, startTimed } from './parts/killer.ts';
import { Ledger } from './parts/ledger.ts';
import { CLIENTS, prepareSubject, workUntilGone } from './parts/license-load.ts';
import { createWorker } from './parts/load.ts';
import {
  compileSyncsnap,
  copyFolder,
  type Disk,
  openDisk,
  type Remains,
  remainsOf,
  requireCompiler,
} from './parts/power.ts';
import { type RunningServer, startKilled, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench, worse } from './parts/proof.ts';
import { randomFrom } from './parts/random.ts';
import { openFile, openReader, type Reader } from './parts/reader.ts';

const CUTS = 100;
const FIRST_STARTS = 20;
const FAULT_CUTS = 3;
const DAMAGED_EVERY = 8 * 4096;
const fixture = join(import.meta.dirname, 'parts/fixture-writes.ts');

/** What a run adds up. */
class Findings {
  readonly ledger = new Ledger();
  readonly refusals = new Complaints();
  lost = new Complaints();
  broken = new Complaints();
}

/** What a planted fault changes. */
interface Fault {
  /** Names of files whose flushes the disk ignores. */
  forgets?: string;
  /** After a cut, before anybody looks. */
  meddle?(dataDir: string): void;
}

/** An installation on a disk of its own. */
interface Powered {
  readonly disk: Disk;
  /** Until the next cut, which will leave this. */
  until(remains: Remains): Installation;
}

function openPowered(bench: ProofBench, library: string, name: string, forgets?: string): Powered {
  const disk = openDisk(library, join(bench.folder, name), forgets);
  const settings = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'error' };
  return { disk, until: (remains) => installationAt(bench, name, { ...settings, ...disk.env(remains) }) };
}

/** Cuts the power of a server under load, again and again. */
async function cutUnderLoad(
  bench: ProofBench,
  library: string,
  cuts: number,
  { forgets, meddle }: Fault = {},
): Promise<Findings> {
  const { random } = bench;
  const { disk, until } = openPowered(bench, library, 'loaded', forgets);
  const found = new Findings();
  const subject = await prepareSubject(until(remainsOf(0)));
  const workers = Array.from({ length: CLIENTS }, () =>
    createWorker(subject, randomFrom(random.below(2 ** 32)), found.ledger, found.refusals),
  );
  for (let cut = 0; cut < cuts; cut++) {
    const installation = until(remainsOf(cut));
    const server = await startAgain(installation, found.broken);
    if (!server) return found;
    await killUnderLoad(server, random, () => workUntilGone(server.url, workers));
    disk.losePower(random, remainsOf(cut));
    meddle?.(installation.dataDir);
    await examineCopy(bench, installation, (reader) => examine(reader, found));
    // What is broken stays broken, and nobody can work on it.
    if (found.broken.count > 0) return found;
  }
  const installation = until(remainsOf(cuts));
  const server = await startAgain(installation, found.broken);
  if (!server) return found;
  // What the program itself made of the last cut.
  const reader = await openReader(installation);
  await examine(reader, found);
  await reader.close();
  found.broken = worse(found.broken, await askDoctor(installation));
  await server.stop();
  return found;
}

async function startAgain({ launch }: Installation, broken: Complaints): Promise<RunningServer | null> {
  try {
    return (await startTimed(launch)).server;
  } catch (error) {
    broken.unless(false, () => `it does not serve again: ${(error as Error).message}`);
    return null;
  }
}

async function examine(reader: Reader, found: Findings): Promise<void> {
  found.broken = worse(found.broken, await examineFile(reader));
  if (found.broken.count > 0) return;
  found.lost = worse(found.lost, await found.ledger.compare(reader));
  found.broken = worse(found.broken, await examineInvariants(reader));
}

/** A copy is looked at: whoever opens the database itself spares the program its recovery. */
async function examineCopy(
  { folder }: ProofBench,
  { dataDir }: Installation,
  look: (reader: Reader) => Promise<void>,
): Promise<void> {
  const copy = join(folder, 'examined');
  copyFolder(dataDir, copy);
  const reader = await openFile(databaseFile(copy));
  try {
    await look(reader);
  } finally {
    await reader.close();
    rmSync(copy, { recursive: true });
  }
}

/** Starts installations for the first time and cuts each at another of its flushes; then each must serve. */
async function cutFirstStarts(
  bench: ProofBench,
  library: string,
  cuts: number,
  { meddle }: Fault = {},
): Promise<Complaints> {
  const { random } = bench;
  const broken = new Complaints();
  const whole = openPowered(bench, library, 'first-whole');
  await (await startServer(whole.until(remainsOf(0)).launch)).kill();
  const steps = whole.disk.steps();
  for (let cut = 0; cut < cuts; cut++) {
    const { disk, until } = openPowered(bench, library, `first-${cut}`);
    const installation = until(remainsOf(cut));
    const place = 1 + Math.floor(((cut + random.below(1000) / 1000) * steps) / cuts);
    const { launch } = installation;
    const untilThen = { ...launch, env: { ...launch.env, SNAP_CUT: String(place) } };
    const starting = startKilled(untilThen, ['serve', '--json', '--listen', '127.0.0.1:0']);
    await starting.ready;
    await starting.kill();
    disk.losePower(random, remainsOf(cut));
    meddle?.(installation.dataDir);
    await examineFirst(bench, installation, `flush ${place} of ${steps}`, broken);
  }
  return broken;
}

async function examineFirst(
  bench: ProofBench,
  installation: Installation,
  place: string,
  broken: Complaints,
): Promise<void> {
  const seen = new Complaints();
  const server = await startAgain(installation, seen);
  if (server) {
    await createProduct(installation, 'editor').catch((error: Error) =>
      seen.unless(false, () => error.message),
    );
    await server.stop();
    await examineCopy(bench, installation, async (reader) => {
      for (const note of (await examineFile(reader)).notes) seen.unless(false, () => note);
    });
  }
  for (const note of seen.notes) broken.unless(false, () => `first start cut at ${place}: ${note}`);
}

/** No disk is waited for where the one that counts is played. */
const inMemory =
  (prove: (bench: ProofBench) => Promise<Outcome>) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const folder = scratchFolder('appctl-power-');
    try {
      return await prove({ ...bench, folder });
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    }
  };

async function run(bench: ProofBench): Promise<Outcome> {
  const library = compileSyncsnap(bench.folder);
  const share = bench.quick ? 10 : 1;
  const first = await cutFirstStarts(bench, library, FIRST_STARTS / share);
  const found = await cutUnderLoad(bench, library, (CUTS - FIRST_STARTS) / share);
  return outcomeOf(CUTS / share, FIRST_STARTS / share, found, first);
}

function outcomeOf(
  cuts: number,
  firstStarts: number,
  { ledger, lost, broken, refusals }: Findings,
  first = new Complaints(),
): Outcome {
  const figures = {
    cuts,
    first_starts: firstStarts,
    acked: ledger.acked,
    lost: lost.count,
    broken: broken.count + first.count,
    refused: refusals.count,
  };
  const notes = [...lost.notes, ...broken.notes, ...first.notes, ...refusals.notes];
  if (firstStarts < cuts && ledger.acked === 0) notes.push('nothing was acknowledged');
  return { figures, passed: notes.length === 0, notes };
}

const underLoad = (fault: Fault) =>
  inMemory(async (bench) => {
    const library = compileSyncsnap(bench.folder);
    return outcomeOf(FAULT_CUTS, 0, await cutUnderLoad(bench, library, FAULT_CUTS, fault));
  });

const atFirstStart = (fault: Fault) =>
  inMemory(async (bench) => {
    const library = compileSyncsnap(bench.folder);
    const broken = await cutFirstStarts(bench, library, FAULT_CUTS, fault);
    return outcomeOf(FAULT_CUTS, FAULT_CUTS, new Findings(), broken);
  });

/** The counterpart that does not flush before it answers: whoever watches flushes must miss what it said it stored. */
async function loseNotes(bench: ProofBench): Promise<Outcome> {
  const disk = openDisk(compileSyncsnap(bench.folder), join(bench.folder, 'notes'));
  const file = join(disk.folder, 'notes.db');
  const remains = remainsOf(0);
  const launch = { exe: fixture, cwd: disk.folder, env: disk.env(remains), prefix: [process.execPath] };
  const acked = new Set<string>();
  const note = async (client: Client): Promise<void> => {
    const { status, body } = await client.ask({ method: 'POST', path: '/', body: {} });
    if (status === 200) acked.add(JSON.parse(body).id);
  };
  const notes = Array.from({ length: CLIENTS }, () => note);
  const lost = new Complaints();
  for (let cut = 0; cut < FAULT_CUTS; cut++) {
    const server = await startServer(launch, ['--file', file, '--break=synchronous-normal']);
    await killUnderLoad(server, bench.random, () => workUntilGone(server.url, notes));
    disk.losePower(bench.random, remains);
  }
  const stored = await storedNotes(file);
  for (const id of acked) lost.unless(stored.has(id), () => `${id} is not there`);
  const figures = { cuts: FAULT_CUTS, acked: acked.size, lost: lost.count };
  return { figures, passed: lost.count === 0, notes: lost.notes };
}

async function storedNotes(file: string): Promise<Set<string>> {
  if (!existsSync(file)) return new Set();
  const reader = await openFile(file);
  try {
    const tables = await reader.all("SELECT name FROM sqlite_master WHERE name = 'notes'");
    const rows = tables.length === 0 ? [] : await reader.all<{ id: string }>('SELECT id FROM notes');
    return new Set(rows.map(({ id }) => id));
  } finally {
    await reader.close();
  }
}

/** Bytes in the middle of the file, as a disk that mixes up its blocks would write them. */
function damagePages(file: string): void {
  const bytes = readFileSync(file);
  for (let at = DAMAGED_EVERY; at < bytes.length; at += DAMAGED_EVERY) bytes.fill(0xff, at, at + 64);
  writeFileSync(file, bytes);
}

export const r03: Proof = {
  id: 'R03',
  databases: ['sqlite'],
  requireTools: requireCompiler,
  faults: {
    'synchronous-normal': inMemory(loseNotes),
    'forgetful-disk': underLoad({ forgets: '-wal' }),
    'damaged-page': underLoad({ meddle: (dataDir) => damagePages(databaseFile(dataDir)) }),
    'empty-key': atFirstStart({ meddle: (dataDir) => writeFileSync(join(dataDir, 'master.key'), '') }),
  },
  run: inMemory(run),
};
