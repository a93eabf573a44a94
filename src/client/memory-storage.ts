import type { ClientStorage } from './option-types.ts';

/** Keeps values as long as the process lives: for tests, and for programs that are given a machine id. */
export function memoryStorage(): ClientStorage {
  const values = new Map<string, string>();
  const put = (key: string, value: string | null): void => {
    if (value === null) values.delete(key);
    else values.set(key, value);
  };
  return {
    get: async (key) => values.get(key) ?? null,
    set: async (key, value) => put(key, value),
    delete: async (key) => put(key, null),
    async update(key, change) {
      const value = change(values.get(key) ?? null);
      put(key, value);
      return value;
    },
  };
}
