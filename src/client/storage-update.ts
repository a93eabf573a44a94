import type { ClientStorage } from './option-types.ts';

/** What is being changed in a storage that cannot change a value in one step itself. */
const turns = new WeakMap<ClientStorage, Promise<unknown>>();

/**
 * Changes one value of a storage. Without an `update` of its own, changes of all clients of this object follow one
 * another.
 *
 * @param change gets null where there is no value, and returns null to delete it
 * @returns the new value
 * @throws what the storage throws
 */
export function updateIn(
  storage: ClientStorage,
  key: string,
  change: (value: string | null) => string | null,
): Promise<string | null> {
  // Of an application in plain JavaScript it may throw at once.
  if (storage.update) return Promise.resolve(storage).then(() => storage.update?.(key, change) ?? null);
  const before = turns.get(storage) ?? Promise.resolve();
  const mine = before.then(async () => {
    const value = change(await storage.get(key));
    await (value === null ? storage.delete(key) : storage.set(key, value));
    return value;
  });
  turns.set(
    storage,
    mine.catch(() => undefined),
  );
  return mine;
}
