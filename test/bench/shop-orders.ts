// Shoppers who fill carts and order them, paid later: rows like those of the pages.
import { join } from 'node:path';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { output } from './child.ts';
import type { LoadResult } from './load-job.ts';
import type { OrdersJob } from './load-orders.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import type { ShopRow, ShopScene } from './shop.ts';

const PRODUCTS = 100;
const STOCK = 1_000_000;
const SHOPPERS = 3000;
const LEAST_ADDED = 2000;
const LEAST_PLACED = { sqlite: 300, postgres: 120 } as const;
const MOST_MS = 300_000;

/** Of every shopper. */
export const SHOPPER_ADDRESS = {
  name: 'Ann Miller',
  line1: '1 Main Street',
  city: 'Springfield',
  state: 'IL',
  postal_code: '62701',
  country: 'US',
};

/** Each shopper puts two different things into a cart, and orders them; every address is another customer. */
export async function measureOrders(
  kind: 'sqlite' | 'postgres',
  { installation, server, options }: ShopScene,
): Promise<{ rows: ShopRow[]; verdicts: Verdict[]; opened: OpenToOrders }> {
  const opened = await openToOrders(installation, server.url);
  const job: OrdersJob = {
    url: server.url,
    connections: options.connections,
    shoppers: SHOPPERS,
    address: SHOPPER_ADDRESS,
    ...opened,
  };
  const script = join(import.meta.dirname, 'load-orders.ts');
  const printed = await output(process.execPath, [script, JSON.stringify(job)], MOST_MS);
  const measured = JSON.parse(printed) as { added: LoadResult; placed: LoadResult };
  const added = rowOf('add to cart', measured.added, LEAST_ADDED);
  const placed = rowOf('place an order, paid later', measured.placed, LEAST_PLACED[kind]);
  return { rows: [added.row, placed.row], verdicts: [added.verdict, placed.verdict], opened };
}

function rowOf(name: string, { acknowledged, seconds, p50Ms, p99Ms, wrong }: LoadResult, least: number) {
  if (wrong > 0) throw new Error(`${name}: ${wrong} wrong answers beside ${acknowledged} right ones`);
  const requestsPerSecond = acknowledged / seconds;
  const row: ShopRow = { name, requestsPerSecond, p50Ms, p99Ms };
  const verdict: Verdict = {
    what: name,
    asked: `≥ ${least.toLocaleString('en')}/s`,
    measured: `${Math.round(requestsPerSecond).toLocaleString('en')}/s`,
    ok: requestsPerSecond >= least,
  };
  return { row, verdict };
}

/** What can be ordered, and how it is sent. */
export type OpenToOrders = Awaited<ReturnType<typeof openToOrders>>;

/** What an open shop has before its first order: a way to pay, a way to send, and goods in stock. */
export async function openToOrders(installation: Installation, url: string) {
  const { ask } = await staffOf(installation, url, 'bench-orders');
  await ask('PATCH', '/settings', { payment_processors_enabled: '["offline"]' });
  const zone = await ask('POST', '/shipping/zones', { name: 'World', regions: [{ country: '*' }] });
  const method = await ask('POST', `/shipping/zones/${zone.id}/methods`, { name: 'Parcel', kind: 'flat' });
  await ask('PUT', `/shipping/methods/${method.id}/rates`, { rates: [{ price_cents: 500 }] });
  const variants: string[] = [];
  for (let n = 0; n < PRODUCTS; n++) {
    const made = await ask('POST', '/products', {
      title: `Ordered ${n}`,
      type: 'physical',
      status: 'active',
      variants: [{ sku: `ORDERED-${n}`, price_cents: 1900 + n, stock: STOCK }],
    });
    variants.push(made.variants[0]?.id as string);
  }
  return { variants, methodId: method.id };
}

/** What calls the API as an owner. @param name of its token */
export async function staffOf({ dataDir, databaseUrl }: Installation, url: string, name: string) {
  const { secret: token } = await withInstance(dataDir, databaseUrl, ({ ctx }) =>
    adminTokens.create(ctx, { name, role: 'owner' }),
  );
  const ask = async (method: string, path: string, body: object) => {
    const reply = await fetch(new URL(`/api/store${path}`, url), {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${await reply.text()}`);
    return ((await reply.json()) as { data: { id: string; variants: { id: string }[] } }).data;
  };
  return { ask };
}

/** @returns the headers of a shopper who has two things in the cart, and what sends as that shopper */
export async function shopperWithCart(url: string, variants: readonly string[]) {
  const session = await fetch(new URL('/api/shop/session', url));
  const { data } = (await session.json()) as { data: { csrf_token: string } };
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const headers = { Cookie: cookie, 'X-CSRF-Token': data.csrf_token };
  const post = async (path: string, body: object) => {
    const reply = await fetch(new URL(`/api/store${path}`, url), {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} was answered ${reply.status}: ${await reply.text()}`);
    await reply.arrayBuffer();
  };
  for (const variant_id of variants.slice(0, 2)) await post('/cart/add', { variant_id, quantity: 1 });
  return { headers, post };
}

/** @returns the cookie of a shopper who has two things in the cart and has said where they go */
export async function cookieWithCart(url: string, variants: readonly string[]): Promise<string> {
  const { headers, post } = await shopperWithCart(url, variants);
  await post('/checkout/contact', { email: 'ann@example.test' });
  await post('/checkout/addresses', { shipping_address: SHOPPER_ADDRESS });
  return headers.Cookie;
}
