// Bought files that several processes fetch at once: a link fetches once, and a file as often as was bought (M27).
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as settings from '#platform/settings/index.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { placeOrder } from '#storefront/buying/checkout/index.ts';
import { grantsOf, linkTo } from '#storefront/buying/downloads/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import * as payments from '#storefront/orders/payments/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { uploadFile } from '../../src/storefront/catalog/digital-files/digital-files.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { DownloadWork } from '../support/download-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
const BYTES = 'Songs';
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<DownloadWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  await settings.set(instance.ctx, { key: 'payment_processor', value: 'offline' });
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<DownloadWork, Tally>('download-process.ts', installation.cwd, database.url),
    ),
  );
}, 120_000);
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

let made = 0;

/** The file of a paid order, which can be fetched so often. */
async function bought(maxDownloads: number | undefined) {
  const { ctx } = instance;
  const name = `album-${++made}`;
  const { id } = await products.create(ctx, {
    title: name,
    type: 'digital',
    status: 'active',
    variants: [{ sku: name, priceCents: 1900, requiresShipping: false, stock: 5 }],
  });
  const variantId = (await products.getWhole(ctx, id)).variants[0]?.id ?? '';
  await uploadFile(
    ctx,
    variantId,
    { source: Readable.from([Buffer.from(BYTES)]), fileName: `${name}.zip` },
    { maxDownloads },
  );
  const owner = { customerId: null, sessionKey: `race-${made}`.padEnd(64, '-') };
  await carts.add(ctx, owner, { variantId, quantity: 1 });
  await carts.writeExisting(ctx, owner, { email: 'ann@x.test' });
  const input = { processor: 'offline', sourceId: null, termsAccepted: true };
  const ways = () => ({ returnUrl: 'http://localhost/return', cancelUrl: 'http://localhost/return' });
  const { order } = await placeOrder(ctx, owner, input, ways);
  await payments.record(ctx, order.id, { amountCents: order.totalCents, method: 'cash' });
  const [grant] = await grantsOf(ctx, order.id);
  if (!grant) throw new Error('the paid order has no file');
  return { orderId: order.id, grant };
}

async function fetched(tokens: readonly (readonly string[])[]): Promise<Tally> {
  const each = await Promise.all(rivals.map((one, side) => one.work({ tokens: tokens[side] ?? [] })));
  const tally: Tally = {};
  for (const one of each)
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const usedOf = async (orderId: string) => (await grantsOf(instance.ctx, orderId))[0]?.downloadsUsed;

it('one link twenty times at once: one has the file, and one use is counted', async () => {
  const { orderId, grant } = await bought(undefined);
  const { path } = await linkTo(instance.ctx, grant);
  const token = path.split('/').at(-1) ?? '';
  const ten = Array.from({ length: 10 }, () => token);
  expect(await fetched([ten, ten])).toEqual({ [BYTES.length]: 1, TOKEN_USED: 19 });
  expect(await usedOf(orderId)).toBe(1);
});

it('twenty links at once for a file that can be fetched seven times: seven have it', async () => {
  const { orderId, grant } = await bought(7);
  const links = await Promise.all(Array.from({ length: 20 }, () => linkTo(instance.ctx, grant)));
  const tokens = links.map(({ path }) => path.split('/').at(-1) ?? '');
  expect(await fetched([tokens.slice(0, 10), tokens.slice(10)])).toEqual({
    [BYTES.length]: 7,
    TOKEN_USED: 13,
  });
  expect(await usedOf(orderId)).toBe(7);
});
