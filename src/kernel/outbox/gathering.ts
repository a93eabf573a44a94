/** Outcomes of one commit at most; of the 20 places (M6) enough remain for sending meanwhile. */
const MOST = 10;
const LONGEST_MS = 10;

/**
 * Lets outcomes wait for each other for a moment: those of one moment share a commit, and with it the sync of the disk
 * that costs more than a delivery to a receiver that answers at once.
 */
export class Gathering {
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Resolves with that of others, after 10 ms at the latest. */
  join(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length >= MOST) this.release();
      else this.#timer ??= setTimeout(() => this.release(), LONGEST_MS);
    });
  }

  /** Lets all go on now. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
