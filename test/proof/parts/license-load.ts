// Clients on the license API of a server that goes away while they work.
import { type Client, createClient } from './client.ts';
import { createApiKey, createProduct, type Installation, withKey } from './installation.ts';
import type { Load } from './killer.ts';
import type { Subject } from './load.ts';
import { startServer } from './processes.ts';

/** So many work at once. */
export const CLIENTS = 64;
const FLOATING = 4;
/** Fewer in all than there are clients, so that they fight for them. */
const SEATS = 12;

/** Makes what clients work on: a product, an API key, licenses that they share. */
export async function prepareSubject(installation: Installation): Promise<Subject> {
  const server = await startServer(installation.launch);
  const client = createClient(server.url, 1);
  try {
    const { id: productId } = await createProduct(installation, 'editor');
    const apiKey = await createApiKey(installation, 'proof');
    const floating: { id: string; key: string }[] = [];
    for (let i = 0; i < FLOATING; i++) {
      const license = {
        productId,
        customerEmail: 'ann@example.com',
        type: 'FLOATING',
        maxActivations: SEATS,
      };
      const ask = { method: 'POST' as const, path: '/api/v1/license/create', headers: withKey(apiKey) };
      floating.push(JSON.parse((await client.ask({ ...ask, body: license })).body).license);
    }
    return { apiKey, productId, floating: floating as unknown as Subject['floating'] };
  } finally {
    client.close();
    await server.stop();
  }
}

/** Every client writes until the server is gone. */
export function workUntilGone(url: string, workers: readonly ((client: Client) => Promise<void>)[]): Load {
  const client = createClient(url, CLIENTS);
  let isOver = false;
  const begun = Promise.withResolvers<void>();
  const goOn = async (step: (client: Client) => Promise<void>): Promise<void> => {
    try {
      while (!isOver) await step(client).then(begun.resolve);
    } catch (error) {
      // The server is gone; anything else is a fault of the proof.
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    }
  };
  const working = Promise.all(workers.map(goOn));
  working.then(() => begun.reject(new Error('no client was answered')), begun.reject);
  return {
    begun: begun.promise,
    async end() {
      isOver = true;
      await working;
      client.close();
    },
  };
}
