// Processes of a proof: commands and servers of the executable, with their words and output kept for R20.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 45_000;

/** What a process is started with. */
export interface Launch {
  exe: string;
  cwd: string;
  /** Beside PATH and HOME. */
  env: Record<string, string>;
  /** Words before the executable, as of strace. */
  prefix?: readonly string[];
  /** Told of the command line that the kernel shows for each started process. */
  onCommandLine?(commandLine: string): void;
}

/** A command that has ended. */
export interface CommandRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A server that listens. */
export interface RunningServer {
  url: string;
  /** Of the server itself, also when another program runs it. */
  pid: number;
  /** What it has written to both streams so far. */
  output(): string;
  /**
   * Asks it to end.
   *
   * @returns its exit code
   */
  stop(): Promise<number | null>;
  /** Ends it without a word, as the kernel does; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Processes that run now, by id: none may outlive this one. */
const alive = new Set<number>();
process.once('exit', () => {
  for (const pid of alive) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended in the same moment.
    }
  }
});

function start(
  { exe, cwd, env, prefix = [], onCommandLine }: Launch,
  args: readonly string[],
  input: boolean,
) {
  const [program, ...words] = [...prefix, exe, ...args] as [string, ...string[]];
  const child = spawn(program, words, {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env },
    stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  child.once('spawn', () => {
    alive.add(child.pid as number);
    onCommandLine?.(commandLineOf(child.pid as number));
  });
  child.once('exit', () => alive.delete(child.pid as number));
  return child;
}

/** What everybody on the machine can read. */
export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended already, or this system has no /proc.
    return '';
  }
}

/** Runs a command of the executable to its end. */
export function command(launch: Launch, args: readonly string[], input?: string): Promise<CommandRun> {
  const child = start(launch, args, input !== undefined);
  child.stdin?.end(input);
  const read = collect(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...read() }));
  });
}

/**
 * Runs a command with --json.
 *
 * @returns what it printed
 * @throws Error with its last words when it does not end with 0
 */
export async function jsonCommand<T>(launch: Launch, args: readonly string[], input?: string): Promise<T> {
  const run = await command(launch, [...args, '--json'], input);
  if (run.code !== 0) throw new Error(`appctl ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
  return JSON.parse(run.stdout) as T;
}

/**
 * Starts a server of the executable on a free port.
 *
 * @throws Error with its last words when it does not listen
 */
export async function startServer(launch: Launch, args: readonly string[] = []): Promise<RunningServer> {
  const child = start(launch, ['serve', '--json', '--listen', '127.0.0.1:0', ...args], false);
  const read = collect(child);
  const output = () => Object.values(read()).join('\n');
  try {
    const { url, pid } = JSON.parse(await firstLine(child)) as { url: string; pid: number };
    alive.add(pid);
    child.once('exit', () => alive.delete(pid));
    return { url, pid, output, stop: () => end(child, pid), kill: () => kill(child, pid) };
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${(error as Error).message}: ${output().slice(-2000)}`);
  }
}

/** A server that is to be killed while it starts. */
export interface Starting {
  /** Resolves when it listens or has ended. */
  readonly ready: Promise<unknown>;
  isReady(): boolean;
  /** @returns whether it was alive until then */
  kill(): Promise<boolean>;
}

/** Starts a server that somebody kills before it listens. */
export function startKilled(launch: Launch, args: readonly string[]): Starting {
  const child = start(launch, args, false);
  let isReady = false;
  const ready = firstLine(child).then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  child.stderr?.resume();
  return {
    ready,
    isReady: () => isReady,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return false;
      await kill(child, child.pid as number);
      return true;
    },
  };
}

/** The first line on standard output; rejects when the process ends before. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (!child.stdout) throw new Error('the process has no standard output');
    const timer = setTimeout(() => reject(new Error('the server did not listen in time')), START_TIMEOUT_MS);
    createInterface(child.stdout).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code, signal) => reject(new Error(`the server ended with ${code ?? signal}`)));
    const settled = () => clearTimeout(timer);
    child.stdout.once('data', settled);
    child.once('exit', settled);
  });
}

/** Asks a process to end, and makes it end when it does not. */
export async function end(child: ChildProcess, pid: number): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve));
  process.kill(pid, 'SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  const code = await gone;
  clearTimeout(timer);
  return code;
}

async function kill(child: ChildProcess, pid: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  process.kill(pid, 'SIGKILL');
  await gone;
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return () => ({ stdout, stderr });
}
