// What an operator's hooks cost an order: by turns at a server without any, and at one whose before- and after-hook do
// nothing; both have the same database.
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
  const orders = Math.min(ORDERS, options.products);
  return served(
    installation,
    'without-hooks',
    (plain) =>
      served(
        installation,
        'with-hooks',
        async (hooked) => {
          const [without, withHooks] = [openHttpClient(plain.url), openHttpClient(hooked.url)];
          const took: Record<'without' | 'withHooks', number[]> = { without: [], withHooks: [] };
          for (let n = -WARM_UP; n < orders * 2; n++) {
            const isHooked = n % 2 !== 0;
            const { headers } = await shopperWithCart(plain.url, variants);
            const ms = await placed(isHooked ? withHooks : without, headers, methodId, n);
            if (n >= 0) took[isHooked ? 'withHooks' : 'without'].push(ms);
            if (n > 0 && n % 400 === 0) say(`hooks: ${n} orders`);
          }
          without.close();
          withHooks.close();
          return [judged(orders, median(took.without), median(took.withHooks))];
        },
        { runsJobs: true, hooksDir },
      ),
    { runsJobs: true },
  );
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
