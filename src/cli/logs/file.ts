import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { sleep } from '#kernel/clock.ts';
import { type LogLine, type LogSource, lineOf } from './lines.ts';

const CHUNK_BYTES = 65_536;
/** How soon a new line is seen. */
const LOOK_EVERY_MS = 200;
/** Two seconds: a server looks each second whether its file was moved. */
const MOVED_QUIET_LOOKS = 10;
const LINE_FEED = 10;

/**
 * The log of a file, and before it that of the file which logrotate made of it. A file of gigabytes is read from its end,
 * as far as lines are wanted.
 */
export function fileSource(path: string): LogSource {
  let at = 0;
  return {
    name: path,
    async *newest() {
      at = lastLineEnd(path);
      yield* backwards(path, at);
      const older = `${path}.1`;
      if (existsSync(older)) yield* backwards(older, statSync(older).size);
    },
    following: () => following(path, at),
  };
}

/** Where the last whole line ends. */
function lastLineEnd(path: string): number {
  const { size } = statSync(path);
  for (const [start, block] of blocksBackwards(path, size)) {
    const found = block.lastIndexOf(LINE_FEED);
    if (found >= 0) return start + found + 1;
  }
  return 0;
}

function* blocksBackwards(path: string, end: number): Generator<[number, Buffer]> {
  const fd = openSync(path, 'r');
  try {
    for (let to = end; to > 0; ) {
      const from = Math.max(0, to - CHUNK_BYTES);
      const block = Buffer.alloc(to - from);
      yield [from, block.subarray(0, readSync(fd, block, 0, block.length, from))];
      to = from;
    }
  } finally {
    closeSync(fd);
  }
}

/** Lines before a place, the last first. */
function* backwards(path: string, end: number): Generator<LogLine> {
  // Of a line of which the beginning is still to be read.
  let rest: Buffer[] = [];
  for (const [, block] of blocksBackwards(path, end)) {
    let to = block.length;
    for (let feed = block.lastIndexOf(LINE_FEED); feed >= 0; ) {
      const line = Buffer.concat([block.subarray(feed + 1, to), ...rest]).toString('utf8');
      if (line !== '') yield lineOf(line);
      rest = [];
      to = feed;
      feed = to === 0 ? -1 : block.lastIndexOf(LINE_FEED, to - 1);
    }
    rest = [block.subarray(0, to), ...rest];
  }
  const first = Buffer.concat(rest).toString('utf8');
  if (first !== '') yield lineOf(first);
}

/** A file that is read as it grows. */
interface Tail {
  readonly fd: number;
  at: number;
  /** Of a line of which the end is still to come. */
  rest: Buffer;
  /** How often in a row nothing new was in it. */
  quiet: number;
}

const tailOf = (fd: number, at: number): Tail => ({ fd, at, rest: Buffer.alloc(0), quiet: 0 });

/**
 * Goes on with the new file where another program moved the old one away or emptied it. A server writes to the one that
 * was moved until it notices, so that one is read until nothing comes any more.
 */
async function* following(path: string, from: number): AsyncGenerator<LogLine> {
  let tail = tailOf(openSync(path, 'r'), from);
  let moved: Tail[] = [];
  for (;;) {
    for (const one of [...moved, tail]) yield* newLines(one);
    for (const { fd } of moved.filter(isOver)) closeSync(fd);
    moved = moved.filter((one) => !isOver(one));
    const next = successor(path, tail.fd);
    if (next !== null) {
      moved.push(tail);
      tail = tailOf(next, 0);
    } else if (fstatSync(tail.fd).size < tail.at) tail = tailOf(tail.fd, 0);
    else await sleep(LOOK_EVERY_MS);
  }
}

const isOver = ({ quiet }: Tail): boolean => quiet > MOVED_QUIET_LOOKS;

function* newLines(tail: Tail): Generator<LogLine> {
  tail.quiet += 1;
  for (let block = read(tail.fd, tail.at); block.length > 0; block = read(tail.fd, tail.at)) {
    tail.quiet = 0;
    tail.at += block.length;
    const all = Buffer.concat([tail.rest, block]);
    const end = all.lastIndexOf(LINE_FEED) + 1;
    tail.rest = all.subarray(end);
    for (const line of all.subarray(0, end).toString('utf8').split('\n')) if (line !== '') yield lineOf(line);
  }
}

function read(fd: number, at: number): Buffer {
  const block = Buffer.alloc(CHUNK_BYTES);
  return block.subarray(0, readSync(fd, block, 0, block.length, at));
}

/** Another file that has taken the place of an open one. */
function successor(path: string, fd: number): number | null {
  try {
    if (statSync(path).ino === fstatSync(fd).ino) return null;
    return openSync(path, 'r');
  } catch {
    return null; // Moved away, and not made anew yet.
  }
}
