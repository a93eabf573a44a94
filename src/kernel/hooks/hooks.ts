import { existsSync } from 'node:fs';
import type { LoadedHooks } from './loaded.ts';
import type { HookPoint, HooksOptions, Payload } from './point.ts';

/** The operator's hooks, as one process has them (storefront-domain 19). */
export interface Hooks {
  readonly dir: string;
  readonly points: readonly HookPoint[];
  /** What was loaded; null as long as nothing was. */
  readonly loaded: LoadedHooks | null;
  /** Loads the files, once. @throws ConfigError (78) for files that cannot be loaded, or that others can change */
  load(): Promise<LoadedHooks>;
  /** Whether no file can subscribe to this (`before:order.create`). Asked for each order: it must cost nothing. */
  isIdle(event: string): boolean;
  /** The point that runs after an event. */
  pointAfter(event: { readonly service: string; readonly type: string }): HookPoint | undefined;
}

/** Nothing is read before it is needed: a short command asks for nothing that hooks hear of. */
export function createHooks({ dir, points, log }: HooksOptions): Hooks {
  const byEvent = new Map(
    points.flatMap((point) => point.after.map((type) => [`${point.service} ${type}`, point] as const)),
  );
  let loaded: LoadedHooks | null = null;
  let loading: Promise<LoadedHooks> | null = null;
  let isMissing: boolean | null = null;
  const load = async (): Promise<LoadedHooks> => {
    const { loadHooks } = await import('./load.ts');
    loaded = await loadHooks({ dir, points, log });
    return loaded;
  };
  return {
    dir,
    points,
    get loaded() {
      return loaded;
    },
    load: () => (loading ??= load()),
    isIdle(event) {
      if (loaded) return !loaded.byEvent.has(event);
      return (isMissing ??= dir === '' || !existsSync(dir));
    },
    pointAfter: ({ service, type }) => byEvent.get(`${service} ${type}`),
  };
}

/** Of a process that has none. */
export const NO_HOOKS: Hooks = createHooks({ dir: '', points: [], log: null as never });

/** What before-hooks have said to a transaction that is repeated. */
export type Asked = Map<string, Payload | null>;

/**
 * Ends an attempt at a transaction in which a before-hook has to be asked: it is rolled back, the hooks run outside of it,
 * and it is repeated. So no hook ever waits while rows, or the one writer of SQLite, are held.
 */
export class Detour extends Error {
  readonly key: string;
  readonly run: () => Promise<Payload | null>;

  constructor(key: string, run: Detour['run']) {
    super('a before-hook runs outside of the transaction; the transaction is repeated');
    this.name = 'Detour';
    this.key = key;
    this.run = run;
  }
}

/** Each repetition has asked one hook more. */
const MOST = 2000;

/**
 * Runs a transaction, and again each time that a before-hook had to be asked.
 *
 * @throws what `once` throws, and what a hook refuses
 */
export async function repeated<T>(once: (asked: Asked) => Promise<T>): Promise<T> {
  const asked: Asked = new Map();
  for (;;) {
    try {
      return await once(asked);
    } catch (error) {
      if (!(error instanceof Detour) || asked.size > MOST) throw error;
      asked.set(error.key, await error.run());
    }
  }
}
