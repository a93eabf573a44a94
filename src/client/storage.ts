import { errorOf } from './errors.ts';
import type { Events } from './events.ts';
import type { ClientStorage } from './option-types.ts';
import { type JsonObject, parseObject } from './shape.ts';
import { updateIn } from './storage-update.ts';

/** What a client keeps, by name. */
export type StoredName = 'token' | 'answer' | 'clock' | 'mode' | 'owner' | 'usage' | 'releases' | 'fresh';

/** The storage of one product. */
export interface Store {
  /** null when there is nothing, nothing readable, or the storage fails. */
  read(name: StoredName): Promise<JsonObject | null>;
  /** A failure is told on `background-error`: what is lost with it can be asked for again. */
  write(name: StoredName, value: JsonObject): Promise<void>;
  /**
   * Changes a value in one step, which other clients on this storage may be changing too. What is damaged counts as
   * nothing. Throws what the storage throws.
   *
   * @param change returns null to remove it
   */
  update(name: StoredName, change: (value: JsonObject | null) => JsonObject | null): Promise<void>;
  /** As `update`; a failure is told on `background-error`. */
  merge(name: StoredName, change: (value: JsonObject | null) => JsonObject | null): Promise<void>;
  remove(...names: StoredName[]): Promise<void>;
}

/** @param product slug; two products of one application may share a storage */
export function openStore(storage: ClientStorage, product: string, events: Events): Store {
  const keyOf = (name: StoredName): string => `appctl.${product}.${name}`;
  const report = (error: unknown): void => events.emit('background-error', errorOf(error));
  const save = async (name: StoredName, value: JsonObject): Promise<void> =>
    storage.set(keyOf(name), JSON.stringify(value));
  // Of an application in plain JavaScript it may throw at once, or give no promise: neither may spoil an answer.
  const remove = async (name: StoredName): Promise<void> => storage.delete(keyOf(name));
  const update: Store['update'] = async (name, change) => {
    await updateIn(storage, keyOf(name), (text) => {
      const value = change(parseObject(text));
      return value === null ? null : JSON.stringify(value);
    });
  };
  return {
    update,
    merge: (name, change) => update(name, change).catch(report),
    async read(name) {
      try {
        return parseObject(await storage.get(keyOf(name)));
      } catch (error) {
        report(error);
        return null;
      }
    },
    write: (name, value) => save(name, value).catch(report),
    async remove(...names) {
      for (const name of names) await remove(name).catch(report);
    },
  };
}
