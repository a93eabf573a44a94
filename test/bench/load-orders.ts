// Shoppers in a process of their own: first all carts are filled, then all are ordered, as fast as the server answers.
import { openHttpClient } from '../support/http-client.ts';
import { type LoadResult, percentile } from './load-job.ts';

export interface OrdersJob {
  url: string;
  connections: number;
  shoppers: number;
  /** Ids of what is bought. */
  variants: readonly string[];
  address: object;
  /** Of the shipping method. */
  methodId: string;
}

const ADDED_EACH = 2;

const job = JSON.parse(process.argv[2] ?? '') as OrdersJob;
const client = openHttpClient(job.url);

/** Sends one request for each number, over so many connections. @param ask answers whether it was right */
async function all(count: number, ask: (n: number) => Promise<boolean>): Promise<LoadResult> {
  const times: number[] = [];
  let wrong = 0;
  let next = 0;
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const sentMs = performance.now();
      if (await ask(n)) times.push(performance.now() - sentMs);
      else wrong += 1;
    }
  };
  await Promise.all(Array.from({ length: job.connections }, work));
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const sorted = Float64Array.from(times).sort();
  return {
    acknowledged: times.length,
    seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    clientCpuPercent: ((cpu.user + cpu.system) / 1e6 / seconds) * 100,
    wrong,
    cutOff: 0,
  };
}

const shoppers: Record<string, string>[] = [];
await all(job.shoppers, async () => {
  const { body, headers } = await client.send('/api/shop/session');
  const { csrf_token } = body.data as unknown as { csrf_token: string };
  const cookie = String(headers['set-cookie']?.[0]).split(';')[0] as string;
  shoppers.push({ Cookie: cookie, 'X-CSRF-Token': csrf_token });
  return true;
});

const post = async (shopper: number, path: string, body: object, proof: string): Promise<boolean> => {
  const headers = shoppers[shopper] as Record<string, string>;
  const { status, text } = await client.send(path, { method: 'POST', body, headers });
  const isRight = status < 300 && text.includes(proof);
  if (!isRight) process.stderr.write(`${status} ${text.slice(0, 300)}\n`);
  return isRight;
};

const added = await all(job.shoppers * ADDED_EACH, (n) => {
  const shopper = n % job.shoppers;
  const variant_id = job.variants[(shopper + 7 * Math.floor(n / job.shoppers)) % job.variants.length];
  return post(shopper, '/api/store/cart/add', { variant_id, quantity: 1 }, '"added"');
});

const placed = await all(job.shoppers, (shopper) =>
  post(
    shopper,
    '/api/store/checkout',
    {
      email: `shopper-${shopper}@example.test`,
      shipping_address: job.address,
      shipping_method_id: job.methodId,
      processor: 'offline',
    },
    '"order_number"',
  ),
);
client.close();
process.stdout.write(`${JSON.stringify({ added, placed })}\n`);
