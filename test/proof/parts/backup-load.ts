// Clients that create licenses at a steady rate, one after the other, and remember when each was asked for and answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './client.ts';
import { withKey } from './installation.ts';
import type { Random } from './random.ts';

/** A license that a client was told of; times are of `performance.now()`. */
export interface Written {
  readonly id: string;
  readonly sentMs: number;
  readonly ackedMs: number;
}

/** What was written so far. */
export interface Load {
  /** The licenses of each client in its own order. */
  readonly clients: readonly (readonly Written[])[];
  /** What was not answered with a license. */
  readonly refused: readonly string[];
  /** Lets the clients work for so long. */
  forMs(ms: number): Promise<void>;
  end(): Promise<void>;
}

const CLIENTS = 8;

/**
 * Begins to write.
 *
 * @param perSecond of all clients together; one that was held up does not catch up
 */
export function startLoad(
  url: string,
  subject: { readonly apiKey: string; readonly productId: string },
  perSecond: number,
  random: Random,
): Load {
  const client = createClient(url, CLIENTS);
  const refused: string[] = [];
  let isOver = false;
  const everyMs = (1000 * CLIENTS) / perSecond;
  const write = async (mine: Written[]): Promise<void> => {
    const body = { productId: subject.productId, customerEmail: `${random.word(10)}@example.com` };
    const headers = { ...withKey(subject.apiKey), 'X-Idempotency-Key': random.word(20) };
    const sentMs = performance.now();
    // A server that dies answers nothing.
    const answer = await client
      .ask({ method: 'POST', path: '/api/v1/license/create', headers, body })
      .catch((error: Error) => ({ status: 0, body: error.message }));
    const ackedMs = performance.now();
    if (answer.status === 200 || answer.status === 201)
      mine.push({ id: JSON.parse(answer.body).license.id, sentMs, ackedMs });
    else refused.push(`${answer.status}: ${answer.body}`);
  };
  const work = async (mine: Written[], first: number): Promise<void> => {
    await sleep(first);
    while (!isOver) {
      const begunMs = performance.now();
      await write(mine);
      const restMs = everyMs - (performance.now() - begunMs);
      if (restMs > 0) await sleep(restMs);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (): Written[] => []);
  const working = Promise.all(clients.map((mine, i) => work(mine, (i * everyMs) / CLIENTS)));
  return {
    clients,
    refused,
    forMs: (ms) => Promise.race([working.then(() => undefined), sleep(ms).then(() => undefined)]),
    async end() {
      isOver = true;
      await working;
      client.close();
    },
  };
}

/** A span of time. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A write that takes longer is named. */
const SLOW_MS = 150;

/** How writes fared that were under way in a span. */
export function pace({ clients }: Pick<Load, 'clients'>, { fromMs, toMs }: Span) {
  const within = clients.flat().filter(({ sentMs, ackedMs }) => ackedMs >= fromMs && sentMs <= toMs);
  // More than an argument list can hold.
  const longestMs = within.reduce((most, { sentMs, ackedMs }) => Math.max(most, ackedMs - sentMs), 0);
  const slow = within.filter(({ sentMs, ackedMs }) => ackedMs - sentMs > SLOW_MS);
  return {
    perSecond: Math.round((1000 * within.length) / (toMs - fromMs)),
    longestMs: Math.round(longestMs),
    /** `510 ms after 398.2 s` of the span, for whoever looks for the cause. */
    slow: slow.map((one) => {
      const after = ((one.sentMs - fromMs) / 1000).toFixed(1);
      return `${Math.round(one.ackedMs - one.sentMs)} ms after ${after} s`;
    }),
  };
}
