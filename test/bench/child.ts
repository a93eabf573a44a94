// Starts the bench's own processes and ends them by their id.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { heapFlags } from '../../bin/bundle.ts';
import type { NginxJob } from './nginx.ts';
import type { ServerJob } from './served.ts';

const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 5000;

/** A server of this folder that listens. */
export interface RunningChild {
  pid: number;
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts a server script of this folder.
 *
 * @throws Error when it ends or stays silent instead of telling its address
 */
export async function startServer(script: string, job: ServerJob | NginxJob): Promise<RunningChild> {
  const child = spawn(
    process.execPath,
    [...heapFlags, join(import.meta.dirname, script), JSON.stringify(job)],
    {
      // Its standard input ends with this process, and it ends with its standard input.
      stdio: ['pipe', 'pipe', 'inherit'],
      env: cleanEnvironment(),
    },
  );
  try {
    const { url } = JSON.parse(await firstLine(child, script)) as { url: string };
    return { pid: child.pid as number, url, stop: () => end(child) };
  } catch (error) {
    await end(child);
    throw error;
  }
}

/** PATH and HOME only: no variable of whoever runs the bench may configure what is measured. */
export const cleanEnvironment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: process.env.HOME ?? '/',
});

/** The first line that a process prints; rejects when it ends before or takes too long. */
export function firstLine(child: ChildProcess, name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} did not get ready in time`)), START_TIMEOUT_MS);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    if (!child.stdout) throw new Error(`${name} has no standard output`);
    createInterface(child.stdout).once('line', (line) => settle(() => resolve(line)));
    child.once('error', (error) => settle(() => reject(error)));
    child.once('exit', (code, signal) =>
      settle(() => reject(new Error(`${name} ended with ${code ?? signal}`))),
    );
  });
}

/** Asks a process to end, and makes it end when it does not. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await gone;
  clearTimeout(timer);
}

/**
 * Runs a program to its end and returns what it printed.
 *
 * @param timeoutMs after which it is killed
 * @param env beside the clean environment
 * @throws Error with its last words when it fails
 */
export function output(
  program: string,
  args: readonly string[],
  timeoutMs: number,
  env: Record<string, string> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...cleanEnvironment(), ...env },
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) resolve(stdout);
      else reject(new Error(`${program} ended with ${code ?? signal}: ${stderr.slice(-2000)}`));
    });
  });
}
