// How fast the program starts, and what it takes while nothing happens.
import { spawn } from 'node:child_process';
import { existsSync, rmSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scratchFolder } from '../support/scratch-folder.ts';
import { cleanEnvironment, end, output } from './child.ts';
import { median } from './medians.ts';
import { cpuSeconds, ownBytes, residentBytes } from './process-figures.ts';
import type { Installation } from './seed.ts';

/** Medians; undefined where there is nothing to measure. */
export interface ProgramFigures {
  name: string;
  versionMs: number;
  /** From the start of the process to its first answer, on an installation that was served before. */
  answeredMs: number | undefined;
  /** CPU time of the process by then, on all cores: other processes of the machine change it less. */
  answeredCpuMs: number | undefined;
  /** From the start to the first answer with an empty data directory: key, database and schema are made first. */
  firstAnsweredMs: number | undefined;
  /** Resident memory of a server that was asked nothing else, 5 seconds later. */
  idleMb: number | undefined;
  /** The part of it that is not pages of files. */
  idleOwnMb: number | undefined;
  /** `appctl status` beside it, from its start to its end. */
  statusMs: number | undefined;
  sizeMb: number | undefined;
}

const root = join(import.meta.dirname, '../..');
const TIMES = 5;
const COMMAND_TIMEOUT_MS = 10_000;
const IDLE_MS = 5000;
const POLL_MS = 2;

/** Measures the source and, where `npm run build` made one, the executable. */
export async function measureProgram(say: (line: string) => void): Promise<ProgramFigures[]> {
  const list: ProgramFigures[] = [];
  for (const { name, command, sizeMb } of programs(say))
    list.push({ ...(await measureOne(name, command, say)), sizeMb });
  return list;
}

/** The source and, where there is one, the executable: what starts each, and what it takes on the disk. */
function programs(say: (line: string) => void) {
  const executable = join(root, 'build/appctl');
  const source = { name: 'source', command: [process.execPath, join(root, 'bin/appctl.js')] };
  if (existsSync(executable)) {
    const sizeMb = statSync(executable).size / 1e6;
    return [
      { ...source, sizeMb: undefined },
      { name: 'executable', command: [executable], sizeMb },
    ];
  }
  say('program: there is no build/appctl, npm run build makes it');
  return [{ ...source, sizeMb: undefined }];
}

/** Memory of its own, in megabytes, of each program that serves an installation and is asked nothing. */
export async function measureIdle({ dataDir, databaseUrl }: Installation, say: (line: string) => void) {
  const list: { name: string; ownMb: number }[] = [];
  for (const { name, command } of programs(say)) {
    const { idleOwnMb } = await startOnce(command, dataDir, IDLE_MS, { APPCTL_DATABASE_URL: databaseUrl });
    list.push({ name, ownMb: idleOwnMb });
  }
  return list;
}

/** @param command its words; with another program than the executable its size is not known */
export async function measureOne(
  name: string,
  command: readonly string[],
  say: (line: string) => void,
): Promise<ProgramFigures> {
  const [program, ...args] = command as [string, ...string[]];
  const versions: number[] = [];
  // The first run fills the caches that every later one finds.
  for (let run = 0; run <= TIMES; run++) {
    const startedMs = performance.now();
    await output(program, [...args, 'version'], COMMAND_TIMEOUT_MS);
    if (run > 0) versions.push(performance.now() - startedMs);
  }
  const starts = await measureStarts(command).catch((error: unknown) => {
    say(`program: ${name} serve was not measured: ${(error as Error).message}`);
    return {
      answeredMs: undefined,
      answeredCpuMs: undefined,
      firstAnsweredMs: undefined,
      idleMb: undefined,
      idleOwnMb: undefined,
      statusMs: undefined,
    };
  });
  say(`program: ${name} measured`);
  return { name, versionMs: median(versions), ...starts, sizeMb: undefined };
}

async function measureStarts(command: readonly string[]) {
  const first: number[] = [];
  const later: { answeredMs: number; answeredCpuMs: number }[] = [];
  let idle = { idleMb: 0, idleOwnMb: 0, statusMs: 0 };
  for (let run = 0; run < TIMES; run++) {
    const dataDir = scratchFolder('appctl-bench-', { durable: true });
    try {
      first.push((await startOnce(command, dataDir, 0)).answeredMs);
      const { idleMb, idleOwnMb, statusMs, ...times } = await startOnce(
        command,
        dataDir,
        run === 0 ? IDLE_MS : 0,
      );
      later.push(times);
      if (run === 0) idle = { idleMb, idleOwnMb, statusMs };
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  }
  return {
    answeredMs: median(later.map(({ answeredMs }) => answeredMs)),
    answeredCpuMs: median(later.map(({ answeredCpuMs }) => answeredCpuMs)),
    firstAnsweredMs: median(first),
    ...idle,
  };
}

/** One server from its start until it was idle for a while. @param env beside the clean environment */
async function startOnce(
  command: readonly string[],
  dataDir: string,
  idleMs: number,
  env: Record<string, string> = {},
) {
  const port = await freePort();
  const [program, ...args] = command as [string, ...string[]];
  const startedMs = performance.now();
  const words = [...args, 'serve', '--listen', `127.0.0.1:${port}`, '--data-dir', dataDir];
  const child = spawn(program, words, {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...cleanEnvironment(), ...env },
    cwd: dataDir,
  });
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}`);
      if (performance.now() - startedMs > COMMAND_TIMEOUT_MS) throw new Error('serve does not answer');
      await sleep(POLL_MS);
    }
    const answeredMs = performance.now() - startedMs;
    const pid = child.pid as number;
    const answeredCpuMs = cpuSeconds(pid) * 1000;
    if (idleMs > 0) await sleep(idleMs);
    const memory = { idleMb: residentBytes(pid) / 1e6, idleOwnMb: ownBytes(pid) / 1e6 };
    const statusMs = idleMs > 0 ? await measureStatus(command, dataDir) : 0;
    return { answeredMs, answeredCpuMs, ...memory, statusMs };
  } finally {
    await end(child);
  }
}

/** What a person waits for who asks a running server how it is. */
async function measureStatus([program = '', ...args]: readonly string[], dataDir: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < TIMES; run++) {
    const startedMs = performance.now();
    await output(program, [...args, 'status', '--data-dir', dataDir], COMMAND_TIMEOUT_MS);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}

/** Whether the program on a port of this machine answers that it works. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path: '/api/health', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.once('error', () => resolve(false));
  });
}

/** Whether somebody listens on a port of this machine. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

/** A port on which nobody listens at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
