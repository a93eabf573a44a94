// What the kernel saw of a server: writes to the log of the database, their flushes, requests and answers.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { MissingTool } from './proof.ts';

/** Words that run a program under strace; `read` is there so that an answer can be told from the one before it. */
export const straceWords = (file: string): string[] => {
  const calls = 'trace=fsync,fdatasync,pwrite64,read,write,writev,sendto';
  return ['strace', '-f', '-y', '-q', '-s', '1024', '-e', calls, '-e', 'signal=none', '-o', file];
};

/** @throws MissingTool when there is no strace, or when this machine forbids it to look */
export function requireStrace(): void {
  const tried = spawnSync('strace', ['-f', '-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (tried.error) throw new MissingTool('strace is missing: apt-get install strace');
  if (tried.status !== 0) throw new MissingTool(`strace may not trace here: ${tried.stderr.trim()}`);
}

/** One answer on a connection, and what had reached the disk when its first byte was sent. */
export interface TracedAnswer {
  requestId: string;
  status: number;
  /** Frames were written to the log of the database after the request was read. */
  wrote: boolean;
  /** The log of the database was flushed after its last write. */
  flushed: boolean;
}

/** The end of a call that did what it was to do. */
const SUCCEEDED = /\) += 0$/;

interface Call {
  name: string;
  target: string;
  text: string;
}

/** Reads what strace wrote, call by call in the order of time. */
export function readTrace(file: string): TracedAnswer[] {
  const answers: TracedAnswer[] = [];
  const requestAt = new Map<string, number>();
  let [writtenAt, flushedAt] = [-1, -1];
  for (const [at, { name, target, text }] of callsOf(readFileSync(file, 'utf8'))) {
    if (target.endsWith('-wal')) {
      if (name === 'pwrite64') writtenAt = at;
      if ((name === 'fsync' || name === 'fdatasync') && SUCCEEDED.test(text)) flushedAt = at;
    }
    if (!target.startsWith('socket:')) continue;
    if (name === 'read' && /"(GET|POST) \//.test(text)) requestAt.set(target, at);
    const status = /"HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
    if (status === undefined || name === 'read') continue;
    const requestId = /X-Request-Id: ([\w-]+)/i.exec(text)?.[1] ?? '';
    const wrote = writtenAt > (requestAt.get(target) ?? Number.POSITIVE_INFINITY);
    answers.push({ requestId, status: Number(status), wrote, flushed: flushedAt > writtenAt });
  }
  return answers;
}

/**
 * Calls with the line at which they count: a flush and a read when they are done, a write when it begins. A call of
 * one thread that is interrupted by a line of another stands on two lines.
 */
function* callsOf(trace: string): Generator<[number, Call]> {
  const begun = new Map<string, Call>();
  let at = 0;
  for (const line of trace.split('\n')) {
    at += 1;
    const resumed = /^(\d+) +<\.\.\. \w+ resumed>(.*)$/.exec(line);
    if (resumed) {
      const call = begun.get(resumed[1] ?? '');
      begun.delete(resumed[1] ?? '');
      if (call && countsAtEnd(call)) yield [at, { ...call, text: call.text + (resumed[2] ?? '') }];
      continue;
    }
    const parsed = /^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$/.exec(line);
    if (!parsed) continue;
    const [, pid = '', name = '', target = '', text = ''] = parsed;
    const call = { name, target, text };
    const unfinished = text.endsWith('<unfinished ...>');
    if (unfinished) begun.set(pid, call);
    if (!unfinished || !countsAtEnd(call)) yield [at, call];
  }
}

const countsAtEnd = ({ name }: Call): boolean => ['fsync', 'fdatasync', 'read'].includes(name);
