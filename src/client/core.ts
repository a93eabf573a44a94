import type { Calls } from './calls.ts';
import type { Clock } from './clock.ts';
import { ClientError, errorOf } from './errors.ts';
import type { Events } from './events.ts';
import type { Identity } from './identity.ts';
import type { Settings } from './options.ts';
import type { Store } from './storage.ts';

/** What every part of a client works with. */
export interface Core {
  settings: Settings;
  events: Events;
  store: Store;
  clock: Clock;
  identity: Identity;
  calls: Calls;
  /** Resolves when the storage has been read; cheap afterwards. */
  ready(): Promise<void>;
}

/** Runs what nobody waits for; its failure is told on `background-error`, except that the client was closed. */
export function inBackground({ events }: Pick<Core, 'events'>, work: () => Promise<unknown>): void {
  work().catch((error: unknown) => {
    if (!(error instanceof ClientError && error.code === 'ABORTED'))
      events.emit('background-error', errorOf(error));
  });
}
