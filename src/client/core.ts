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

/** Runs what the answer does not depend on, and never rejects: a failure is told on `background-error`, except that the client was closed. */
export async function inBackground(
  { events }: Pick<Core, 'events'>,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'ABORTED'))
      events.emit('background-error', errorOf(error));
  }
}
