import { memoryKey } from './process-memory.ts';

/** A line of the log of this process. */
export interface KeptLine {
  /** Counts up from the start of the process. */
  readonly seq: number;
  /** A JSON record as the log wrote it. */
  readonly text: string;
}

const MOST_LINES = 2000;
const MOST_CHARS = 2_000_000;

/**
 * The newest lines of the log in memory, for whoever looks at them in a browser: as many as fit into two megabytes, 2,000 at
 * most. Writing is an assignment, because every request writes one.
 */
export class LogRing {
  readonly #lines: (KeptLine | undefined)[] = new Array(MOST_LINES);
  readonly #listeners = new Set<(line: KeptLine) => void>();
  #next = 1;
  #first = 1;
  #chars = 0;

  write(text: string): void {
    const line = { seq: this.#next, text };
    if (this.#next - this.#first >= MOST_LINES) this.#drop();
    this.#lines[this.#next % MOST_LINES] = line;
    this.#next += 1;
    this.#chars += text.length;
    while (this.#chars > MOST_CHARS && this.#first < this.#next - 1) this.#drop();
    for (const listener of this.#listeners) listener(line);
  }

  /** The lines that are kept, the newest first. */
  *newest(): Generator<KeptLine> {
    for (let seq = this.#next - 1; seq >= this.#first; seq -= 1) {
      const line = this.#lines[seq % MOST_LINES];
      if (line?.seq === seq) yield line;
    }
  }

  /** Calls a listener with each line as it is written. @returns ends that */
  listen(listener: (line: KeptLine) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #drop(): void {
    const at = this.#first % MOST_LINES;
    this.#chars -= this.#lines[at]?.text.length ?? 0;
    this.#lines[at] = undefined;
    this.#first += 1;
  }
}

/** That of the server of this process; null in a program that keeps none. */
export const recentLog = memoryKey<{ ring: LogRing | null }>('recent-log', () => ({ ring: null }));
