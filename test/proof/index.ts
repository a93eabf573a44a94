// `npm run proof -- R02 R14 R20`: shows on the executable that promises hold (reliability section 1). What measures no
// time runs side by side.
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.ts';
import { acme } from './acme.ts';
import { type Pair, proveBeside } from './beside.ts';
import { examples } from './examples.ts';
import { figures } from './figures.ts';
import { large } from './large.ts';
import { manual } from './manual.ts';
import { type ProofOptions, readOptions, SEEDS, usage } from './options.ts';
import { type DatabaseSource, openSource } from './parts/databases.ts';
import { prepareExecutable } from './parts/executable.ts';
import {
  type DatabaseKind,
  exits,
  isGood,
  type Line,
  MissingTool,
  type Outcome,
  type Proof,
  type ProofBench,
} from './parts/proof.ts';
import { randomFrom } from './parts/random.ts';
import { r01 } from './r01-kill.ts';
import { r02 } from './r02-fsync.ts';
import { r03 } from './r03-power.ts';
import { r04 } from './r04-restart.ts';
import { r05 } from './r05-seats.ts';
import { r06 } from './r06-stock.ts';
import { r07 } from './r07-money.ts';
import { r08 } from './r08-inbound.ts';
import { r09 } from './r09-outbound.ts';
import { r10 } from './r10-ssrf.ts';
import { r11 } from './r11-bad-requests.ts';
import { r12 } from './r12-backup.ts';
import { r13 } from './r13-migrations.ts';
import { r14 } from './r14-limits.ts';
import { r15 } from './r15-clock.ts';
import { r16 } from './r16-disk.ts';
import { r17 } from './r17-postgres.ts';
import { r18 } from './r18-leader.ts';
import { r20 } from './r20-secrets.ts';
import { r21 } from './r21-audit.ts';
import { r23 } from './r23-uploads.ts';
import { r24 } from './r24-mail.ts';
import { r25 } from './r25-signatures.ts';
import { digestOf, RunRecord, readRecord, WrongRecord } from './record.ts';
import { stream } from './stream.ts';

const proofs: readonly Proof[] = [
  r01,
  r02,
  r03,
  r04,
  r05,
  r06,
  r07,
  r08,
  r09,
  r10,
  r11,
  r12,
  large,
  r13,
  r14,
  r15,
  r16,
  r17,
  r18,
  r20,
  r21,
  r23,
  r24,
  r25,
  acme,
  stream,
  examples,
  manual,
  figures,
];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
/** Progress and notes go to the other stream, so that the figures can be kept by themselves. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** The same for all proofs of a run. */
type Settings = Pick<ProofBench, 'exe' | 'quick' | 'megabytes'> & { readonly rng: number };

async function main(options: ProofOptions): Promise<number> {
  const chosen = proofs.filter(({ id }) => options.names.length === 0 || options.names.includes(id));
  // A missing tool is seen before minutes are spent.
  requireTools(chosen);
  const record = openRecord(options);
  const pairs = pairsOf(chosen, options.databases);
  const due = pairs.filter(({ proof, kind }) => !record.has(proof, kind));
  if (due.length < pairs.length)
    say(`${pairs.length - due.length} of ${pairs.length} are proved already: ${options.json}`);
  const { rng, quick } = record.terms;
  const bench = { exe: options.exe, megabytes: options.megabytes, rng, quick };
  const add = (lines: readonly Line[]): void => record.add(lines);
  const noisy = due.filter(({ proof }) => !proof.needsQuiet);
  const beside = noisy.length > 1 ? noisy : [];
  const unfinished = await proveBeside(beside, { exe: options.exe, terms: record.terms }, add);
  for (const kind of options.databases) {
    const alone = due.filter((pair) => pair.kind === kind && !beside.includes(pair));
    if (alone.length === 0) continue;
    const source = await openSource(kind);
    try {
      for (const { proof } of alone) add(await prove(proof, source, bench));
    } finally {
      await source.stop();
    }
  }
  for (const name of unfinished) say(`error: ${name} did not come to an end`);
  return unfinished.length === 0 && record.lines.every(isGood) ? exits.done : exits.failed;
}

/** Goes on with what was found of this executable, or begins anew. */
function openRecord({ exe, builds, rng, quick, json, continues, ...more }: ProofOptions): RunRecord {
  const megabytes = more.megabytes ?? null;
  if (continues && json !== undefined) {
    const sha256 = existsSync(exe) ? digestOf(exe) : '';
    return readRecord(json, { sha256, rng, quick, megabytes });
  }
  prepareExecutable(exe, builds, say);
  const drawn = rng ?? Math.floor(Math.random() * SEEDS);
  say(`rng ${drawn}`);
  return new RunRecord(json, { sha256: digestOf(exe), rng: drawn, quick, megabytes });
}

/** Each proof on each of its databases. */
function pairsOf(chosen: readonly Proof[], kinds: readonly DatabaseKind[]): Pair[] {
  return kinds.flatMap((kind) =>
    chosen.flatMap((proof) => {
      if (proof.databases.includes(kind)) return [{ proof, kind }];
      say(`${proof.id} ${kind}: not run, its promise is about ${proof.databases.join(' and ')}`);
      return [];
    }),
  );
}

/** @throws MissingTool that names all that is missing, so that it is installed in one go */
function requireTools(chosen: readonly Proof[]): void {
  const missing = new Set<string>();
  for (const proof of chosen) {
    try {
      proof.requireTools();
    } catch (error) {
      if (!(error instanceof MissingTool)) throw error;
      missing.add(error.message);
    }
  }
  if (missing.size > 0) throw new MissingTool([...missing].join('\n       '));
}

/** The planted faults first: a proof that does not see them says nothing. */
async function prove(proof: Proof, source: DatabaseSource, options: Settings): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [fault, run] of Object.entries(proof.faults)) {
    lines.push(await measure(proof, source, options, fault, run));
  }
  lines.push(await measure(proof, source, options, null, proof.run));
  return lines;
}

async function measure(
  { id }: Proof,
  source: DatabaseSource,
  { exe, rng, quick, megabytes }: Settings,
  fault: string | null,
  run: (bench: ProofBench) => Promise<Outcome>,
): Promise<Line> {
  const folder = scratchFolder('appctl-proof-', { durable: true });
  const random = randomFrom(rng);
  const database = await source.create(random.word(20));
  const begun = performance.now();
  // A run that is ended leaves no gigabytes behind.
  const clear = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  process.once('exit', clear);
  try {
    const bench = { exe, database, random, quick, megabytes, folder };
    const outcome = await run(bench).catch((error: unknown) => brokenOff(error, fault !== null));
    const verdict = verdictOf(outcome.passed, fault !== null);
    const seconds = Math.round((performance.now() - begun) / 1000);
    const line: Line = { id, database: source.kind, fault, verdict, ...outcome, seconds };
    print(textOf(line));
    if (verdict === 'FAIL' || verdict === 'VOID') for (const note of outcome.notes) say(`  ${note}`);
    return line;
  } finally {
    await database.drop();
    process.off('exit', clear);
    // What a killed server had begun may write for a moment.
    clear();
  }
}

/** A run that ended with an error says nothing: it is never a pass, nor is the fault found; the others still run. */
function brokenOff(error: unknown, isFault: boolean): Outcome {
  if (error instanceof MissingTool) throw error;
  return { figures: {}, passed: isFault, notes: [(error as Error).stack ?? String(error)] };
}

function verdictOf(passed: boolean, isFault: boolean): string {
  if (isFault) return passed ? 'VOID' : 'FOUND';
  return passed ? 'PASS' : 'FAIL';
}

function textOf({ id, database, fault, figures, verdict, seconds }: Line): string {
  const broken = fault === null ? [] : [`break=${fault}`];
  const words = Object.entries(figures).map(([name, value]) => `${name}=${value}`);
  return [id, database, ...broken, ...words, verdict, `after ${seconds} s`].join(' ');
}

async function start(): Promise<number> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  let options: ProofOptions;
  try {
    options = readOptions(
      process.argv.slice(2),
      proofs.map(({ id }) => id),
    );
  } catch (error) {
    say(`error: ${(error as Error).message}\n${usage}`);
    return exits.usage;
  }
  try {
    return await main({ ...options, exe: resolve(options.exe) });
  } catch (error) {
    if (!(error instanceof MissingTool || error instanceof WrongRecord)) throw error;
    say(`error: ${error.message}`);
    return error instanceof MissingTool ? exits.missing : exits.usage;
  }
}

process.exitCode = await start();
