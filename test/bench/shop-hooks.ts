// What an operator's hooks cost an order: by turns at a server without any, and at one whose before- and after-hook do
// nothing; each with the same database.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HttpClient, openHttpClient } from '../support/http-client.ts';
import { median } from './medians.ts';
import type { BenchOptions } from './options.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { type OpenToOrders, SHOPPER_ADDRESS, shopperWithCart } from './shop-orders.ts';
import { served } from './staff.ts';

const ORDERS = 1000;
const WARM_UP = 40;
const TURNS = 4;
const MOST_MORE_MS = 1;
const HOOKS = `export function register(hooks) {
  hooks.on('before:order.create', () => undefined);
  hooks.on('after:order.create', () => undefined);
}
`;

/** @param options `products` of the shop: a small one is asked for to see that it works, with fewer orders */
export async function measureHooks(
  installation: Installation,
  options: BenchOptions,
  { variants, methodId }: OpenToOrders,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const hooksDir = join(installation.dataDir, 'hooks');
  mkdirSync(hooksDir, { mode: 0o700 });
  writeFileSync(join(hooksDir, 'nothing.js'), HOOKS, { mode: 0o600 });
  const each = Math.ceil(Math.min(ORDERS, options.products) / TURNS);
  const took: Record<'without' | 'with', number[]> = { without: [], with: [] };
  // A database is served by one server at a time.
  for (let turn = 0; turn < TURNS; turn++)
    for (const way of ['without', 'with'] as const)
      await served(
        installation,
        `${way}-hooks-${turn}`,
        async ({ url }) => {
          const client = openHttpClient(url);
          for (let n = -WARM_UP; n < each; n++) {
            const { headers } = await shopperWithCart(url, variants);
            const ms = await placed(client, headers, methodId, n);
            if (n >= 0) took[way].push(ms);
          }
          client.close();
          say(`hooks: ${took[way].length} orders ${way} them`);
        },
        { runsJobs: true, ...(way === 'with' && { hooksDir }) },
      );
  return [judged(took.with.length, median(took.without), median(took.with))];
}

async function placed(
  client: HttpClient,
  headers: Record<string, string>,
  methodId: string,
  n: number,
): Promise<number> {
  const body = {
    email: `hooked-${n + WARM_UP}@example.test`,
    shipping_address: SHOPPER_ADDRESS,
    shipping_method_id: methodId,
    processor: 'offline',
  };
  const startedMs = performance.now();
  const { status, text } = await client.send('/api/store/checkout', { method: 'POST', body, headers });
  const ms = performance.now() - startedMs;
  if (status >= 300) throw new Error(`an order was answered ${status}: ${text.slice(0, 300)}`);
  return ms;
}

const judged = (orders: number, withoutMs: number, withMs: number): Verdict => ({
  what: `order with a before- and an after-hook that do nothing, beside one without (medians of ${orders.toLocaleString('en')}: ${withMs.toFixed(2)} and ${withoutMs.toFixed(2)} ms)`,
  asked: `≤ +${MOST_MORE_MS.toFixed(2)} ms`,
  measured: `${withMs >= withoutMs ? '+' : ''}${(withMs - withoutMs).toFixed(2)} ms`,
  ok: withMs - withoutMs <= MOST_MORE_MS,
});
