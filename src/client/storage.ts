import { errorOf } from './errors.ts';
import type { Events } from './events.ts';
import { type JsonObject, parseObject } from './shape.ts';
import type { ClientStorage } from './types.ts';

/** Keeps values as long as the process lives. */
export function memoryStorage(): ClientStorage {
  const values = new Map<string, string>();
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  };
}

/** What a client keeps, by name. */
export type StoredName = 'token' | 'answer' | 'clock' | 'mode' | 'owner' | 'usage' | 'releases' | 'fresh';

/** The storage of one product. */
export interface Store {
  /** null when there is nothing, nothing readable, or the storage fails. */
  read(name: StoredName): Promise<JsonObject | null>;
  /** A failure is told on `background-error`: what is lost with it can be asked for again. */
  write(name: StoredName, value: JsonObject): Promise<void>;
  /** As `write`, for what must not be lost. Throws what the storage throws. */
  save(name: StoredName, value: JsonObject): Promise<void>;
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
  return {
    save,
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
