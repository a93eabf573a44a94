/** Outcomes of each target that are being written, for whoever must not overtake them. */
export class Unwritten {
  readonly #byTarget = new Map<string, Set<Promise<void>>>();

  /** @param written resolves when it is written or dropped, and must not reject */
  add(target: string, written: Promise<void>): void {
    const all = this.#byTarget.get(target) ?? new Set();
    this.#byTarget.set(target, all);
    all.add(written);
    void written.then(() => {
      all.delete(written);
      if (all.size === 0) this.#byTarget.delete(target);
    });
  }

  /** Resolves when those of this moment are written. */
  async all(target: string): Promise<void> {
    await Promise.all(this.#byTarget.get(target) ?? []);
  }
}
