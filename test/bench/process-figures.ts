// What the kernel says about a process.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

let ticksPerSecond: number | undefined;

/** CPU time of a process since its start, user and system, in seconds. */
export const cpuSeconds = (pid: number): number => sumOfTimes(pid, [11, 12]);

/** CPU time of the processes that this one started and that have ended, in seconds. */
export const endedChildrenCpuSeconds = (): number => sumOfTimes(process.pid, [13, 14]);

/** Fields of /proc/PID/stat after the name, counted from the process state: utime, stime, cutime, cstime. */
function sumOfTimes(pid: number, fields: readonly number[]): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold blanks.
  const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(words[field]), 0) / ticksPerSecond;
}

/** Resident memory of a process in bytes. */
export const residentBytes = (pid: number): number => statusBytes(pid, 'VmRSS');

/** Resident memory of a process and of those that it started, in bytes. */
export const residentBytesOfAll = (pid: number): number => sumOverTree(pid, residentBytes);

/** CPU time of a process and of those that it started and that still run, in seconds. */
export const cpuSecondsOfAll = (pid: number): number => sumOverTree(pid, cpuSeconds);

/** Sums over a process and those that it started; what has ended meanwhile adds nothing. */
function sumOverTree(pid: number, of: (pid: number) => number): number {
  return pidsOfAll(pid).reduce((sum, one) => {
    try {
      return sum + of(one);
    } catch {
      return sum;
    }
  }, 0);
}

/** A process and those that it and its children started. */
export function pidsOfAll(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return [pid, ...text.split(' ').filter(Boolean).map(Number).flatMap(pidsOfAll)];
  } catch {
    return [];
  }
}

/** The part of it that is the process's own, and not pages of files, which the system shares and may drop. */
export const ownBytes = (pid: number): number => statusBytes(pid, 'RssAnon');

function statusBytes(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}
