const FLUSH_EVERY_MS = 100;
const BLOCK_LINES = 100;

/** Gathers lines of a log, and hands them on in blocks, each within a tenth of a second. */
export class LineBlocks {
  readonly #hand: (lines: readonly string[]) => void;
  #waiting: string[] = [];

  constructor(hand: (lines: readonly string[]) => void) {
    this.#hand = hand;
    setInterval(() => this.flush(), FLUSH_EVERY_MS).unref();
  }

  write(line: string): void {
    if (this.#waiting.push(line) >= BLOCK_LINES) this.flush();
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    this.#hand(this.#waiting);
    this.#waiting = [];
  }
}
