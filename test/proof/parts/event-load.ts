// Clients that make events as fast as they are answered, until enough have been made or the server is gone.
import { type Client, createClient } from './client.ts';
import { withKey } from './installation.ts';
import type { Load } from './killer.ts';
import type { Random } from './random.ts';

/** Makes a few events. */
export type Maker = (client: Client) => Promise<void>;

/** How many events were made; those of a request that was cut off may exist beside them. */
export class Made {
  count = 0;
  /** Ids of what must have an event. */
  readonly subjects: string[] = [];
}

const LICENSES = 10;
const WORKERS = 8;

/** A maker on the license API: licenses of one of the products, and an activation of each. */
export function licenseMaker(
  apiKey: string,
  productIds: readonly [string, ...string[]],
  random: Random,
  made: Made,
): Maker {
  const post = async <T>(client: Client, name: string, body: object): Promise<T> => {
    const path = `/api/v1/license/${name}`;
    const answer = await client.ask({ method: 'POST', path, headers: withKey(apiKey), body });
    if (answer.status >= 300) throw new Error(`${name} was answered ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body) as T;
  };
  return async (client) => {
    const productId = random.pick(productIds);
    const license = { productId, customerEmail: 'ann@example.com', maxActivations: 1 };
    const licenses = Array.from({ length: LICENSES }, () => license);
    const { results } = await post<Bulk>(client, 'create-bulk', { licenses });
    for (const { license: created } of results) {
      made.count += 1;
      made.subjects.push(created.id);
    }
    for (const { license: created } of results) {
      await post(client, 'activate', { licenseKey: created.key, machineId: `machine-${created.id}` });
      made.count += 1;
    }
  };
}

interface Bulk {
  results: { license: { id: string; key: string } }[];
}

/** Clients that end by themselves when there are enough events. */
export interface EventLoad extends Load {
  done: Promise<unknown>;
}

/** Lets clients make events until there are `enough`. */
export function makeEvents(url: string, maker: Maker, made: Made, enough: number): EventLoad {
  const client = createClient(url, WORKERS);
  let isOver = false;
  const begun = Promise.withResolvers<void>();
  const goOn = async (): Promise<void> => {
    try {
      for (; !isOver && made.count < enough; begun.resolve()) await maker(client);
    } catch (error) {
      // The server is gone; anything else is a fault of the proof.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, goOn)).finally(() => client.close());
  working.then(() => begun.resolve(), begun.reject);
  return {
    begun: begun.promise,
    done: working,
    async end() {
      isOver = true;
      await working;
    },
  };
}
