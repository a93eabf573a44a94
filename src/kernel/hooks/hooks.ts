import { existsSync } from 'node:fs';
import type { StoredEvent } from '../context.ts';
import type { Log } from '../log.ts';
import type { LoadedHooks } from './loaded.ts';
import type { HookPoint } from './point.ts';

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
  pointAfter(event: Pick<StoredEvent, 'service' | 'type'>): HookPoint | undefined;
}

export interface HooksOptions {
  /** `hooks_dir`; it need not exist. */
  readonly dir: string;
  readonly points: readonly HookPoint[];
  readonly log: Log;
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
