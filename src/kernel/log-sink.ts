import { close, openSync, write, writeSync } from 'node:fs';
import { sleep } from './clock.ts';

/** Where lines of a log go; what cannot be written is dropped, and nothing is thrown (reliability M21). */
export interface LogSink {
  write(line: string): void;
  /** Begins to write what is buffered. */
  flush(): void;
  /** Writes what is buffered before it returns; a block that is on its way already is not waited for. */
  flushSync(): void;
  /** Writes everything, the block on its way included. */
  drain(): Promise<void>;
  /** Opens a file anew; nothing to do for a descriptor. */
  reopen(): void;
}

/** Lines that wait for a slow reader take no more memory than this; what comes beyond is dropped. */
const MAX_WAITING_CHARS = 4_194_304;
const TRY_AGAIN_MS = 20;
const MAX_TRIES = 50;

const isBusy = (error: unknown): boolean =>
  ['EAGAIN', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Opens a file (mode 0600, appended to) or takes a file descriptor. pino's own destination does not fit here: its
 * last flush tries for ever when the disk is full, and the server would never end.
 *
 * @param blockChars lines are written in blocks of this size, 0: each at once
 * @throws Error with code ENOENT, EACCES … when the file cannot be opened
 */
export function openLogSink(destination: number | string, blockChars: number): LogSink {
  const open = (): number =>
    typeof destination === 'number' ? destination : openSync(destination, 'a', 0o600);
  let writer = new BlockWriter(open(), blockChars);
  return {
    write: (line) => writer.write(line),
    flush: () => writer.flush(),
    flushSync: () => writer.flushSync(),
    drain: () => writer.drain(),
    reopen() {
      if (typeof destination === 'number') return;
      const old = writer;
      try {
        writer = new BlockWriter(open(), blockChars);
      } catch {
        return; // The folder is gone: the old file goes on.
      }
      void old.drain().then(() => close(old.fd));
    },
  };
}

class BlockWriter {
  readonly fd: number;
  readonly #blockChars: number;
  #waiting: string[] = [];
  #chars = 0;
  #isWriting = false;

  constructor(fd: number, blockChars: number) {
    this.fd = fd;
    this.#blockChars = blockChars;
  }

  write(line: string): void {
    if (this.#chars + line.length > MAX_WAITING_CHARS) return;
    this.#waiting.push(line);
    this.#chars += line.length;
    if (this.#chars >= this.#blockChars) this.flush();
  }

  flush(): void {
    if (this.#isWriting || this.#chars === 0) return;
    this.#isWriting = true;
    this.#send(this.#take(), 0);
  }

  flushSync(): void {
    const block = this.#take();
    let written = 0;
    for (let tries = 0; written < block.length && tries < MAX_TRIES; ) {
      try {
        written += writeSync(this.fd, block, written);
      } catch (error) {
        if (!isBusy(error)) return;
        tries += 1;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TRY_AGAIN_MS);
      }
    }
  }

  async drain(): Promise<void> {
    for (let tries = 0; this.#isWriting && tries < MAX_TRIES; tries++) await sleep(TRY_AGAIN_MS);
    this.flushSync();
  }

  #take(): Buffer {
    const block = Buffer.from(this.#waiting.join(''));
    this.#waiting = [];
    this.#chars = 0;
    return block;
  }

  #send(block: Buffer, from: number): void {
    write(this.fd, block, from, (error, length) => {
      if (error && isBusy(error)) {
        setTimeout(() => this.#send(block, from), TRY_AGAIN_MS).unref();
      } else if (!error && from + length < block.length) {
        this.#send(block, from + length);
      } else {
        // Written, or lost with a full disk or a closed pipe: the next block has its own chance.
        this.#isWriting = false;
        if (this.#chars >= Math.max(1, this.#blockChars)) this.flush();
      }
    });
  }
}
