// The code of a server that has started, and of a command, as V8 compiled it: it spares the executable to compile it at
// every start (0005).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { heapFlags } from './bundle.ts';

const TIMEOUT_MS = 60_000;
/** What the first clients of a server ask: its first answers wait for no compiler. */
const FIRST_ASKED = ['/api/health', '/'];
/** What a server does once right after it listens is done by then. */
const SETTLE_MS = 2_000;
const [FILE, SHIFT] = ['APPCTL_CODE_CACHE_FILE', 'APPCTL_CODE_CACHE_SHIFT'];
/** V8 numbers functions in the order of their making, which other processes of the machine can change by a few. */
const [SHIFTED_BY, FEW] = [65_536, 4_096];
/** Fewer than are made before a program is. */
const FUNCTIONS_OF_NODE = 1_000;
/** Where a cache names the flags it was made with, and how long that is. */
const [FLAGS_AT, FLAGS_LENGTH] = [12, 4];
const ATTEMPTS = 6;

/** V8 writes what it never set too: so no memory is used a second time. */
const unusedMemory = [
  '--clear-free-memory',
  '--min-semi-space-size=512',
  '--max-semi-space-size=1024',
  '--initial-heap-size=4096',
  '--initial-old-space-size=2048',
];

/** V8 makes the same code of the same program with these: no random order, no thread beside, nothing forgotten. */
export const recordingFlags = ['--hash-seed=1', '--predictable', '--no-flush-bytecode', ...unusedMemory];

/**
 * Makes of `bin/start.cjs` what only the build runs: it writes what was compiled when it ends. Its clock begins at the
 * same moment in every build, because what a server does at midnight is not what it does at noon.
 */
export const recording = (start: string): string => `
{
  const Real = Date, offset = Date.UTC(2026, 0, 15, 12) - Real.now();
  globalThis.Date = class Date extends Real {
    constructor(...parts) { parts.length > 0 ? super(...parts) : super(Real.now() + offset); }
    static now() { return Real.now() + offset; }
  };
  // The server would collect garbage when it is quiet, which depends on the machine.
  Object.defineProperty(performance, 'eventLoopUtilization', { value: () => ({ utilization: 1 }) });
  const functions = ';(function(){})'.repeat(Number(process.env.${SHIFT}));
  new (require('node:vm').Script)(functions).runInThisContext();
}
${start.replace('filename: __filename', `filename: 'appctl'`)}
process.once('exit', () => require('node:fs').writeFileSync(process.env.${FILE}, script.createCachedData()));
`;

/** What runs while its code is recorded, on an installation that was served before, as nearly every one is that starts. */
type Run = (executable: string, env: Environment) => Promise<void>;
type Environment = Record<string, string> & { readonly HOME: string };

/** The asset with its code, and the run. */
const recorded: Readonly<Record<string, Run>> = {
  'serve.cache': (executable, env) =>
    serveUntil(executable, env, async (url) => {
      for (const path of FIRST_ASKED) await askOnce(url + path);
      await sleep(SETTLE_MS);
    }),
  'command.cache': async (executable, env) => {
    execFileSync(executable, ['license', 'list', ...dataDir(env)], {
      cwd: env.HOME,
      env,
      timeout: TIMEOUT_MS,
    });
  },
};

/**
 * Records the code of a server, and of a command that reads the database.
 * @param executable absolute path of the program with `recording`
 * @param program absolute path of its text
 * @param work absolute path of a folder for the installations
 * @param reproducible whether the same program must give the same bytes, which takes three runs of each
 * @returns by the name of the asset, the absolute path of what was compiled
 * @throws Error when the server does not listen within a minute, when no two recordings agree, or when V8 refuses one
 */
export async function recordCodeCaches(
  executable: string,
  program: string,
  work: string,
  reproducible: boolean,
): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const flags = flagsOfExecutable();
  for (const [name, run] of Object.entries(recorded)) {
    const record = (shift: number): Promise<Buffer> => recordOnce(executable, work, run, shift);
    const data = reproducible ? await agreedCode(record) : await record(0);
    flags.copy(data, FLAGS_AT);
    files[name] = join(work, name);
    writeFileSync(files[name], data);
    requireTaken(program, files[name]);
  }
  return files;
}

/** What V8 refuses it compiles again without a word: every start would take twice as long. */
function requireTaken(program: string, cache: string): void {
  const ask = `
    const { readFileSync } = require('node:fs');
    const [, program, cache] = process.argv;
    const cachedData = readFileSync(cache);
    const { cachedDataRejected } = new (require('node:vm').Script)(readFileSync(program, 'latin1'), { cachedData });
    process.stdout.write(String(cachedDataRejected));
  `;
  const isRefused = execFileSync(process.execPath, [...heapFlags, '-e', ask, program, cache], {
    encoding: 'utf8',
    env: {},
  });
  if (isRefused !== 'false')
    throw new Error(`V8 does not take ${cache}: every start would compile the program`);
}

/** Two recordings that are equal, with functions numbered by their place. */
async function agreedCode(record: (shift: number) => Promise<Buffer>): Promise<Buffer> {
  const seen: Buffer[] = [];
  let shifted = await record(SHIFTED_BY);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const plain = await record(0);
    if (plain.length !== shifted.length) {
      shifted = await record(SHIFTED_BY);
      continue;
    }
    renumber(plain, shifted);
    if (seen.some((other) => other.equals(plain))) return plain;
    seen.push(plain);
  }
  throw new Error(`the code of a started program was different in ${ATTEMPTS} recordings`);
}

async function recordOnce(executable: string, work: string, run: Run, shift: number): Promise<Buffer> {
  const [home, file] = [join(work, 'home'), join(work, 'recorded.cache')];
  mkdirSync(home);
  const env = { HOME: home, [FILE]: file, [SHIFT]: String(shift) };
  await serveUntil(executable, env, async () => undefined);
  await run(executable, env);
  rmSync(home, { recursive: true, force: true });
  return readFileSync(file);
}

const dataDir = ({ HOME }: Environment): string[] => ['--data-dir', join(HOME, 'data')];

/** @param work what is done with the server once it listens; then it is ended */
async function serveUntil(
  executable: string,
  env: Environment,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const args = ['serve', '--json', '--listen', '127.0.0.1:0', ...dataDir(env)];
  const child = spawn(executable, args, {
    cwd: env.HOME,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"event":"listening"')) continue;
    const { url } = JSON.parse(line) as { url: string };
    void work(url).then(
      () => child.kill('SIGTERM'),
      (error: Error) => {
        complaints += error.message;
        child.kill('SIGKILL');
      },
    );
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the server whose code is recorded ended with ${code}: ${complaints}`);
}

/** @throws Error for another answer than 200 */
async function askOnce(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { Connection: 'close' } });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`${url} was answered with ${answer.status}`);
}

/** Numbers the functions by their place. Where two recordings differ by the shift, there is such a number. */
function renumber(plain: Buffer, shifted: Buffer): void {
  let [number, free] = [0, 0];
  const isNumber = (place: number): boolean =>
    place >= free &&
    place + 4 <= plain.length &&
    plain.readUInt32LE(place) > FUNCTIONS_OF_NODE &&
    plain.readUInt32LE(place) < SHIFTED_BY &&
    Math.abs(shifted.readUInt32LE(place) - plain.readUInt32LE(place) - SHIFTED_BY) < FEW;
  for (let at = 0; at < plain.length; at += 1) {
    if (plain[at] === shifted[at]) continue;
    const start = [at, at - 1, at - 2].find(isNumber);
    // Memory that V8 reserved and never wrote.
    if (start === undefined) continue;
    free = start + 4;
    at = free - 1;
    number += 1;
    plain.writeUInt32LE(number, start);
  }
}

/** V8 takes a cache only from the same flags as its own; those of the recording change nothing of the code. */
function flagsOfExecutable(): Buffer {
  const ask = `process.stdout.write(new (require('node:vm').Script)('0').createCachedData().toString('hex'))`;
  const hex = execFileSync(process.execPath, [...heapFlags, '-e', ask], { encoding: 'utf8', env: {} });
  return Buffer.from(hex, 'hex').subarray(FLAGS_AT, FLAGS_AT + FLAGS_LENGTH);
}
