// What licenses cost an order: orders of one unit that cost nothing, so that they are placed and paid by one transaction,
// by turns of a variant with a license and one without.
import { create as createProduct } from '#licensing/catalog/products/index.ts';
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { openHttpClient } from '../support/http-client.ts';
import { median } from './medians.ts';
import type { BenchOptions } from './options.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import { shopperWithCart, staffOf } from './shop-orders.ts';
import { served } from './staff.ts';

const ORDERS = 1500;
const WARM_UP = 20;
const MOST_MORE = 0.2;

type Way = 'without' | 'with';
/** Whoever comes second waits for what the first left to do: so each does so half of the time. */
const TURNS: readonly (readonly Way[])[] = [
  ['without', 'with'],
  ['with', 'without'],
];

/** @param options `products` of the shop: a small one is asked for to see that it works, with fewer orders */
export function measureLicenses(
  installation: Installation,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Verdict[]> {
  return served(installation, 'licenses', async ({ url }) => {
    const variants = await variantsIn(installation, url);
    const each = Math.min(ORDERS, options.products);
    const took: Record<Way, number[]> = { without: [], with: [] };
    const client = openHttpClient(url);
    for (let n = -WARM_UP; n < each; n++)
      for (const way of TURNS[Math.abs(n) % 2] ?? []) {
        const { headers } = await shopperWithCart(url, [variants[way]]);
        const body = { email: `${way}-${n + WARM_UP}@example.test` };
        const startedMs = performance.now();
        const reply = await client.send('/api/store/checkout', { method: 'POST', body, headers });
        const ms = performance.now() - startedMs;
        if (reply.status >= 300) throw new Error(`an order was answered ${reply.status}: ${reply.text}`);
        if (n >= 0) took[way].push(ms);
      }
    client.close();
    say(`licenses: ${each} orders of each kind`);
    return [judged(each, median(took.without), median(took.with))];
  });
}

/** A variant with a license and one without, both for nothing. */
async function variantsIn(installation: Installation, url: string): Promise<Record<Way, string>> {
  const { ask } = await staffOf(installation, url, 'bench-licenses');
  const made = async (way: Way): Promise<string> => {
    const variant = { sku: `LICENSES-${way}`, price_cents: 0, requires_shipping: false };
    const product = { title: `Sold ${way} a license`, type: 'digital', status: 'active' };
    const { variants } = await ask('POST', '/products', { ...product, variants: [variant] });
    return variants[0]?.id as string;
  };
  const variants = { without: await made('without'), with: await made('with') };
  const { dataDir, databaseUrl } = installation;
  await withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const { id } = await createProduct(ctx, { name: 'Licensed', slug: 'bench-licensed' });
    await setGrant(ctx, variants.with, { licenseProductId: id, type: 'PERPETUAL', tier: 'PERSONAL' });
  });
  return variants;
}

function judged(orders: number, withoutMs: number, withMs: number): Verdict {
  const more = withMs / withoutMs - 1;
  return {
    what: `order of one unit with its license, beside one without (medians of ${orders.toLocaleString('en')}: ${withMs.toFixed(2)} and ${withoutMs.toFixed(2)} ms)`,
    asked: `≤ +${(MOST_MORE * 100).toFixed(0)} %`,
    measured: `${more >= 0 ? '+' : ''}${(more * 100).toFixed(1)} %`,
    ok: more <= MOST_MORE,
  };
}
