import { memoryKey } from './process-memory.ts';

/** A line of the log of this process. */
export interface KeptLine {
  /** Counts up from the start of the process. */
  readonly seq: number;
  /** A JSON record as the log wrote it. */
  readonly text: string;
}

const MOST_LINES = 2000;
const MOST_BYTES = 2_000_000;
/** UTF-8 takes no more for one unit of a string. */
const MOST_BYTES_OF_UNIT = 3;

/**
 * The newest lines of the log in memory, for whoever looks at them in a browser: as many as fit into two megabytes, 2,000 at
 * most. Every request writes one. They are kept as bytes, outside of the heap: strings that live as long as this would be
 * moved by two collections, and would make up most of what a third one has to look for.
 */
export class LogRing {
  readonly #bytes = Buffer.allocUnsafeSlow(MOST_BYTES);
  /** Of each line, counted on from the first byte that was ever written: its place is the rest of a division. */
  readonly #starts = new Float64Array(MOST_LINES);
  readonly #ends = new Float64Array(MOST_LINES);
  readonly #listeners = new Set<(line: KeptLine) => void>();
  /** The newest line, where it is longer than all that is kept. */
  #long: KeptLine | null = null;
  #next = 1;
  #first = 1;
  #end = 0;

  write(text: string): void {
    const seq = this.#next;
    this.#next += 1;
    if (this.#long !== null) this.#first = seq;
    this.#long = null;
    if (!this.#keep(seq, text)) {
      this.#first = seq;
      this.#long = { seq, text };
    }
    for (const listener of this.#listeners) listener({ seq, text });
  }

  /** The lines that are kept, the newest first. */
  *newest(): Generator<KeptLine> {
    if (this.#long !== null) yield this.#long;
    else for (let seq = this.#next - 1; seq >= this.#first; seq -= 1) yield { seq, text: this.#textOf(seq) };
  }

  /** Calls a listener with each line as it is written. @returns ends that */
  listen(listener: (line: KeptLine) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @returns false where all of the memory is too short for a line */
  #keep(seq: number, text: string): boolean {
    let at = this.#end % MOST_BYTES;
    if (at + text.length * MOST_BYTES_OF_UNIT > MOST_BYTES) {
      const length = Buffer.byteLength(text);
      if (length > MOST_BYTES) return false;
      // A line lies in one piece.
      if (at + length > MOST_BYTES) {
        this.#end += MOST_BYTES - at;
        at = 0;
      }
    }
    const start = this.#end;
    this.#end += this.#bytes.write(text, at);
    this.#starts[seq % MOST_LINES] = start;
    this.#ends[seq % MOST_LINES] = this.#end;
    if (seq - this.#first >= MOST_LINES) this.#first = seq - MOST_LINES + 1;
    while ((this.#starts[this.#first % MOST_LINES] as number) < this.#end - MOST_BYTES) this.#first += 1;
    return true;
  }

  #textOf(seq: number): string {
    const [start, end] = [this.#starts[seq % MOST_LINES] as number, this.#ends[seq % MOST_LINES] as number];
    const at = start % MOST_BYTES;
    return this.#bytes.toString('utf8', at, at + end - start);
  }
}

/** That of the server of this process; null in a program that keeps none. */
export const recentLog = memoryKey<{ ring: LogRing | null }>('recent-log', () => ({ ring: null }));
