const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Pauses between attempts at what fails, longer each time. Times are monotonic. */
export class Pauses {
  #pauseMs = 0;
  #againMs = 0;

  /** Whether it may be tried again. */
  isOver(nowMs: number): boolean {
    return nowMs >= this.#againMs;
  }

  /** It failed. @returns whether it worked before */
  begin(nowMs: number): boolean {
    const isFirst = this.#pauseMs === 0;
    this.#pauseMs = Math.min(Math.max(2 * this.#pauseMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    this.#againMs = nowMs + this.#pauseMs;
    return isFirst;
  }

  /** It worked. @returns whether it failed before */
  end(): boolean {
    const failed = this.#pauseMs > 0;
    this.#pauseMs = 0;
    return failed;
  }

  /** It may be tried at once. */
  skip(): void {
    this.#againMs = 0;
  }
}
