import { isCount, isObject, isText, type JsonObject } from './shape.ts';
import type { Store } from './storage.ts';

/** The newest release of a line that was ever verified. */
export interface Mark {
  sequence: number;
  version: string;
}

/**
 * The highest sequence per line of releases (6.3). It outlives the license key, since it is about the product. A
 * storage that fails costs the memory of earlier runs: the installed version still bounds what is taken, and an
 * application whose storage is broken must be able to get the update that mends it.
 */
export interface Sequences {
  /** Takes in what the storage knows. */
  load(): Promise<void>;
  /** Whether something newer of this line was seen already; equal is allowed for the same version. */
  isBehind(line: string, mark: Mark): boolean;
  note(line: string, mark: Mark): Promise<void>;
}

export function createSequences(store: Store): Sequences {
  const highest = new Map<string, Mark>();
  const raise = (line: string, mark: Mark): boolean => {
    if (mark.sequence <= (highest.get(line)?.sequence ?? -1)) return false;
    highest.set(line, mark);
    return true;
  };
  const takeIn = (stored: JsonObject | null): void => {
    const lines = stored?.lines;
    for (const [line, mark] of isObject(lines) ? Object.entries(lines) : []) {
      if (!isObject(mark) || !isCount(mark.sequence) || !isText(mark.version)) continue;
      raise(line, { sequence: mark.sequence, version: mark.version });
    }
  };
  return {
    load: async () => takeIn(await store.read('releases')),
    isBehind(line, { sequence, version }) {
      const known = highest.get(line);
      if (known === undefined || sequence > known.sequence) return false;
      return sequence < known.sequence || version !== known.version;
    },
    async note(line, mark) {
      if (!raise(line, mark)) return;
      await store.merge('releases', (stored) => {
        takeIn(stored);
        return { lines: Object.fromEntries([...highest].map(([name, { ...kept }]) => [name, kept])) };
      });
    },
  };
}
