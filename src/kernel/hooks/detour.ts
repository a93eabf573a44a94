import type { Payload } from './point.ts';

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
