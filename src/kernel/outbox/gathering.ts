/** Outcomes of one commit at most; of the 20 places (M6) enough remain for sending meanwhile. */
const MOST = 10;
const LONGEST_MS = 10;

/**
 * Lets outcomes wait for each other for a moment: those of one moment share a transaction, whose trips to the database
 * and whose sync of the disk cost more than a delivery to a receiver that answers at once.
 */
export class Gathering<T> {
  readonly #write: (together: readonly T[]) => Promise<void>;
  #together: T[] = [];
  #written = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /** @param write must not reject */
  constructor(write: (together: readonly T[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when it is written, with others or alone after 10 ms. */
  add(one: T): Promise<void> {
    this.#together.push(one);
    const { promise } = this.#written;
    if (this.#together.length >= MOST) this.release();
    else this.#timer ??= setTimeout(() => this.release(), LONGEST_MS);
    return promise;
  }

  /** Writes those that wait now. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [together, written] = [this.#together, this.#written];
    this.#together = [];
    this.#written = Promise.withResolvers<void>();
    if (together.length === 0) written.resolve();
    else written.resolve(this.#write(together));
  }
}
