import { randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemClock } from './clock.ts';
import { isOwn } from './private-files.ts';

/** A place in the log: what stands before it was read. */
export interface LogPlace {
  readonly folder: string;
  readonly file: number;
  readonly offset: number;
}

export interface CommonLogOptions {
  /** Of one process only: it begins the files and removes them. */
  readonly leads: boolean;
  /** After so many bytes the next file begins. */
  readonly longBytes?: number | undefined;
  /** Files that ended so long ago are removed. */
  readonly keptMs?: number | undefined;
}

/** This process cannot read any further what others add: what it has in its memory is out of date from now on. */
export class LogLost extends Error {}

const LONG_BYTES = 8 * 1024 * 1024;
/** A file is never longer than this many of them, even when no next one can be begun. */
const MOST_LONG = 8;
/** So long a process may stand still and go on with what it has missed. */
const KEPT_MS = 20_000;
/** After a next file could not be begun. */
const AGAIN_MS = 1000;
/** Tries of one entry: another process that dies within its own may tear it. */
const TRIES = 5;
const BUFFER_BYTES = 64 * 1024;

/** What is written for one entry: who did, its number there, and the entry; without one, the next file begins. */
type Line = readonly [writer: number, number: number, entry?: unknown];

/** An entry of this process on its way. */
interface Own<Entry> {
  readonly text: string;
  readonly entry: Entry;
}

/** What came of the own entry. */
interface Applied {
  readonly value: unknown;
}

/**
 * A log that several processes of one machine append to, so that each sees the entries of all in one order: each keeps
 * what it counts in its own memory, and comes to the same as the others without waiting for them. The kernel appends one
 * write after the other (O_APPEND). It is not for keeping: nothing is synced, and it goes with the processes.
 */
export class CommonLog<Entry> {
  readonly #folder: string;
  readonly #leads: boolean;
  readonly #apply: (entry: Entry, isOwn: boolean) => unknown;
  readonly #longBytes: number;
  readonly #keptMs: number;
  /** Files that have ended, and when; of the process that leads. */
  readonly #ended: { readonly file: number; readonly ms: number }[] = [];
  readonly #writer = randomInt(2 ** 47);
  #last = 0;
  #file: number;
  #fd: number;
  #offset: number;
  /** All of this file was read, and another one follows. */
  #isOver = false;
  #failedMs = Number.NEGATIVE_INFINITY;
  #buffer = Buffer.allocUnsafe(BUFFER_BYTES);

  /**
   * @param place where to go on; the process that leads begins with a folder of its own that is empty
   * @param apply called for each entry of every process, in order; what it returns for an own one is the answer of `add`
   * @throws Error when the file is not there any more
   */
  constructor(
    place: LogPlace,
    apply: (entry: Entry, isOwn: boolean) => unknown,
    { leads, longBytes = LONG_BYTES, keptMs = KEPT_MS }: CommonLogOptions,
  ) {
    this.#folder = place.folder;
    this.#leads = leads;
    this.#longBytes = longBytes;
    this.#keptMs = keptMs;
    this.#apply = apply;
    this.#file = place.file;
    this.#offset = place.offset;
    this.#fd = this.#open(place.file, leads);
  }

  /** Where another process can go on with what this one has in its memory; of the process that leads. */
  place(): LogPlace {
    // Others remove what they find in a temporary folder; whoever has the file open goes on with it.
    if (!existsSync(this.#pathOf(this.#file))) this.#turn();
    return { folder: this.#folder, file: this.#file, offset: this.#offset };
  }

  /**
   * Appends an entry, and applies all of other processes that stand before it.
   *
   * @returns what applying it returned
   * @throws Error when it cannot be written: then no process applies it; LogLost when this process cannot read further
   */
  add(entry: Entry): unknown {
    const own: Own<Entry> = {
      text: JSON.stringify([this.#writer, ++this.#last, entry] satisfies Line),
      entry,
    };
    if (this.#offset > this.#longBytes) this.#tidy();
    for (let tries = 0; tries < TRIES; tries++) {
      this.#write(tries === 0 ? `${own.text}\n` : `\n${own.text}\n`);
      const found = this.#read(own);
      if (found !== null) return found.value;
    }
    throw new Error('an entry that was written is not in the file');
  }

  /** Applies what other processes have added. @throws LogLost when this process cannot read further */
  catchUp(): void {
    this.#read(null);
    this.#tidy();
  }

  /** The process that leads takes the files with it. */
  close(): void {
    closeSync(this.#fd);
    if (this.#leads) rmSync(this.#folder, { recursive: true, force: true });
  }

  #write(text: string): void {
    if (this.#offset > this.#longBytes * MOST_LONG) throw new Error('no further file can be begun');
    if (writeSync(this.#fd, text) !== Buffer.byteLength(text))
      throw new Error('an entry was written in part');
  }

  /** @returns the answer to an own entry; null when it is not there, so it has to be written again */
  #read(own: Own<Entry> | null): Applied | null {
    try {
      return this.#readOn(own);
    } catch (error) {
      throw new LogLost('what other processes added cannot be read', { cause: error });
    }
  }

  #readOn(own: Own<Entry> | null): Applied | null {
    let found: Applied | null = null;
    for (;;) {
      if (this.#isOver) this.#follow();
      const read = readSync(this.#fd, this.#buffer, 0, this.#buffer.length, this.#offset);
      const end = read === 0 ? -1 : this.#buffer.lastIndexOf(10, read - 1);
      if (end >= 0) {
        found = this.#applyLines(this.#buffer.toString('utf8', 0, end).split('\n'), own);
        this.#offset += end + 1;
        // What came meanwhile is read with the next entry.
        if (found !== null) return found;
      } else if (read < this.#buffer.length) {
        if (this.#buffer.length > BUFFER_BYTES) this.#buffer = Buffer.allocUnsafe(BUFFER_BYTES);
        return null;
      } else this.#buffer = Buffer.allocUnsafe(this.#buffer.length * 4);
    }
  }

  /** Entries behind the one that ends a file count for nobody: whoever wrote one writes it into the next. */
  #applyLines(lines: readonly string[], own: Own<Entry> | null): Applied | null {
    let found: Applied | null = null;
    for (const text of lines) {
      if (text === own?.text) {
        found = { value: this.#apply(own.entry, true) };
        continue;
      }
      const line = parsed(text);
      if (line === null) continue;
      this.#isOver = line.length === 2;
      if (this.#isOver) return found;
      this.#apply(line[2] as Entry, line[0] === this.#writer);
    }
    return found;
  }

  #follow(): void {
    const next = this.#open(this.#file + 1, false);
    closeSync(this.#fd);
    this.#fd = next;
    this.#file += 1;
    this.#offset = 0;
    this.#isOver = false;
  }

  /** What the process that leads does from time to time: files come and go. */
  #tidy(): void {
    if (!this.#leads) return;
    const now = systemClock.monotonicMs();
    for (let [oldest] = this.#ended; oldest && oldest.ms <= now - this.#keptMs; [oldest] = this.#ended) {
      rmSync(this.#pathOf(oldest.file), { force: true });
      this.#ended.shift();
    }
    if (this.#offset > this.#longBytes && now > this.#failedMs + AGAIN_MS) this.#turn();
  }

  /** Begins the next file. On a disk that is full, this one becomes longer until there is space. */
  #turn(): void {
    try {
      this.#ensureFolder();
      // What an attempt before has left, on a disk that was full.
      rmSync(this.#pathOf(this.#file + 1), { force: true });
      closeSync(this.#open(this.#file + 1, true));
      this.#write(`\n${JSON.stringify([this.#writer, 0] satisfies Line)}\n`);
    } catch {
      this.#failedMs = systemClock.monotonicMs();
      return;
    }
    this.#ended.push({ file: this.#file, ms: systemClock.monotonicMs() });
    this.#read(null);
  }

  /** Where the folder went, anybody on this machine can make another one of its name. @throws Error */
  #ensureFolder(): void {
    if (!existsSync(this.#folder)) mkdirSync(this.#folder, { mode: 0o700 });
    const { uid, mode } = lstatSync(this.#folder);
    if (!isOwn({ uid }) || (mode & 0o077) !== 0) throw new Error(`${this.#folder} belongs to somebody else`);
  }

  #open(file: number, isNew: boolean): number {
    const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const how = O_RDWR | O_APPEND | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0);
    const fd = openSync(this.#pathOf(file), how, 0o600);
    if (isOwn(fstatSync(fd))) return fd;
    closeSync(fd);
    throw new Error(`${this.#pathOf(file)} belongs to somebody else`);
  }

  #pathOf(file: number): string {
    return join(this.#folder, String(file));
  }
}

/** Null for what a process that was killed, or a full disk, has left of an entry. */
function parsed(text: string): Line | null {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    return null;
  }
}
