/** Names something that a capability keeps in the memory of one process, and makes it at its first use. */
export interface MemoryKey<T> {
  readonly name: string;
  readonly create: () => T;
}

/** Declares it; the value itself is the identity, so two of one name do not meet. */
export const memoryKey = <T>(name: string, create: () => T): MemoryKey<T> => ({ name, create });

/**
 * What capabilities keep in the memory of one process: caches, counters that are written behind. It belongs to the
 * runtime and not to a module, so two applications in one process (tests) do not share it.
 */
export class ProcessMemory {
  readonly #held = new Map<MemoryKey<unknown>, unknown>();

  /** The one value of this key. */
  of<T>(key: MemoryKey<T>): T {
    if (!this.#held.has(key)) this.#held.set(key, key.create());
    return this.#held.get(key) as T;
  }
}
