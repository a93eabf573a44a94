// A paid order has its licenses in the transaction that has its money (fulfilment section 5).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#kernel/db/database.ts';
import { remove as removeProduct, setStatus } from '#licensing/catalog/products/index.ts';
import { setGrant } from '../../src/fulfilment/grants/index.ts';
import { settleLicenses } from '../../src/fulfilment/minting/index.ts';
import { runJob } from '../support/jobs.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
beforeAll(async () => {
  shop = await openLicenseShop();
}, 120_000);
afterAll(() => shop.app.close());

const orderOf = (id: string) => shop.staff.data(`/orders/${id}`);
const historyOf = async (id: string) =>
  (await shop.knex()('order_events').where({ order_id: id, type: 'license' }).orderBy('id')) as {
    data: string;
    body: string | null;
  }[];

describe('an order that is paid', () => {
  it('has a license for each unit, under its number, for its buyer', async () => {
    const { variantId, licenseProduct } = await shop.licensed({ tier: 'BUSINESS', maxActivations: 3 });
    const { result: order, changes } = await shop.app.changesBy(() => shop.bought(variantId, 2));
    expect(changes.events.filter((type) => type === 'LICENSE_CREATED')).toHaveLength(2);
    const mints = await shop.mintsOf(order.id);
    expect(mints.map(({ unit_no, status, wanted, error }) => [unit_no, status, wanted, error])).toEqual([
      [1, 'minted', 'minted', null],
      [2, 'minted', 'minted', null],
    ]);
    const found = await shop.licensesOf(order.order_number as string);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({
      product_id: licenseProduct.id,
      type: 'PERPETUAL',
      tier: 'BUSINESS',
      max_activations: 3,
      valid_until: null,
      source: 'STOREFRONT',
    });
    expect(await orderOf(order.id)).toMatchObject({ status: 'completed', payment_status: 'paid' });
    const [noted, ...more] = await historyOf(order.id);
    expect(more).toEqual([]);
    // At most the beginning of a key.
    expect(noted?.data).toContain('key_prefix');
    expect(noted?.data).not.toMatch(/[0-9A-Z]{4,}-[0-9A-Z]{4,}-/);
  });

  it('shows the same licenses to the license API, under its number', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId);
    const { secret } = await shop.app.apiKey('FULL_ADMIN');
    const { body } = await shop.app.get(`/api/v1/license/by-order/${order.order_number}`, secret);
    const [made] = await shop.mintsOf(order.id);
    expect(body.licenses).toMatchObject([{ id: made?.license_id, type: 'PERPETUAL' }]);
  });

  it('has one license with all seats where units are seats', async () => {
    const { variantId } = await shop.licensed({
      type: 'FLOATING',
      quantityMode: 'seats',
      maxActivations: 5,
    });
    const order = await shop.bought(variantId, 2);
    expect(await shop.licensesOf(order.order_number as string)).toMatchObject([
      { type: 'FLOATING', max_activations: 10 },
    ]);
  });

  it('has nothing before it is paid, and its licenses with the payment that staff record', async () => {
    const { variantId } = await shop.licensed({ type: 'SUBSCRIPTION', durationDays: 30 });
    const order = await shop.bought(variantId, 1, 'offline');
    expect(await shop.mintsOf(order.id)).toEqual([]);
    await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
      amount_cents: order.total_cents,
      method: 'bank_transfer',
    });
    const [license] = await shop.licensesOf(order.order_number as string);
    expect(license?.valid_until).toBe('2026-03-31T12:00:00.000Z');
  });

  it('keeps what it was sold with when the variant changes before it is paid', async () => {
    const { variantId, licenseProduct } = await shop.licensed({ maxActivations: 2 });
    const order = await shop.bought(variantId, 1, 'offline');
    await setGrant(shop.app.ctx, variantId, {
      licenseProductId: licenseProduct.id,
      type: 'TRIAL',
      tier: 'PERSONAL',
      durationDays: 7,
      maxActivations: 9,
    });
    await shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
      amount_cents: order.total_cents,
      method: 'cash',
    });
    expect(await shop.licensesOf(order.order_number as string)).toMatchObject([
      { type: 'PERPETUAL', max_activations: 2 },
    ]);
  });

  it('has each license once, however often it is looked at', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 3);
    const { changes } = await shop.app.changesBy(() => settleLicenses(shop.app.ctx, order.id));
    expect([changes.events, changes.rows]).toEqual([[], {}]);
    expect(await shop.licensesOf(order.order_number as string)).toHaveLength(3);
  });

  it('takes no part in what has no license', async () => {
    const order = await shop.placed(await shop.stocked(2));
    expect(await shop.mintsOf(order.id)).toEqual([]);
    expect(await historyOf(order.id)).toEqual([]);
  });
});

describe('a license that cannot be made', () => {
  const pay = (order: { id: string; total_cents: number }) =>
    shop.staff.data(`/orders/${order.id}/payments`, 'POST', {
      amount_cents: order.total_cents,
      method: 'cash',
    });

  it('keeps nobody from paying: the order says what is missing, staff are told, and a job makes it', async () => {
    const { variantId, licenseProduct } = await shop.licensed();
    const order = await shop.bought(variantId, 2, 'offline');
    const stored = await shop.knex()('license_products').where({ id: licenseProduct.id }).first();
    await removeProduct(shop.app.ctx, licenseProduct.id);
    const { changes } = await shop.app.changesBy(() => pay(order));
    expect(changes.rows.license_mints).toBe('+2');
    expect(await orderOf(order.id)).toMatchObject({ payment_status: 'paid' });
    const [first] = await shop.mintsOf(order.id);
    expect(first).toMatchObject({ status: 'failed', attempts: 1, license_id: null });
    expect(first?.error).toContain(licenseProduct.id);
    expect((await historyOf(order.id)).map(({ body }) => body)).toEqual([
      expect.stringContaining('2 of the licenses of Editor'),
    ]);
    // Too early, then again in vain, then for good.
    expect(await runJob(shop.app.ctx, 'retry-mints')).toEqual({ orders: 0, waiting: 0 });
    shop.app.clock.advance(301);
    expect(await runJob(shop.app.ctx, 'retry-mints')).toEqual({ orders: 1, waiting: 2 });
    await shop.app.instance.database.transaction(({ knex }) => knex('license_products').insert(stored));
    shop.app.clock.advance(1801);
    expect(await runJob(shop.app.ctx, 'retry-mints')).toEqual({ orders: 1, waiting: 0 });
    expect(await shop.licensesOf(order.order_number as string)).toHaveLength(2);
    expect(await runJob(shop.app.ctx, 'retry-mints')).toEqual({ orders: 0, waiting: 0 });
  });

  it('between two units leaves the others made', async () => {
    const { variantId } = await shop.licensed();
    const order = await shop.bought(variantId, 3, 'offline');
    await refusing(shop.app.instance.database, async () => pay(order));
    expect((await shop.mintsOf(order.id)).map(({ status }) => status)).toEqual([
      'minted',
      'failed',
      'minted',
    ]);
    expect(await shop.licensesOf(order.order_number as string)).toHaveLength(2);
    expect(await settleLicenses(shop.app.ctx, order.id)).toBe(0);
    expect(await shop.licensesOf(order.order_number as string)).toHaveLength(3);
  });

  it('is made of a product that was discontinued after it was sold', async () => {
    const { variantId, licenseProduct } = await shop.licensed();
    const order = await shop.bought(variantId, 1, 'offline');
    await setStatus(shop.app.ctx, licenseProduct.id, 'DISCONTINUED');
    await pay(order);
    expect(await shop.licensesOf(order.order_number as string)).toHaveLength(1);
  });
});

/** Refuses the license of the second unit of every line while something is done. */
async function refusing(database: Database, work: () => Promise<unknown>): Promise<void> {
  const isSecond = `NEW.metadata LIKE '%"unit":"2"%'`;
  const [up, down] =
    database.dialect === 'sqlite'
      ? [
          [
            `CREATE TRIGGER no_second BEFORE INSERT ON licenses WHEN ${isSecond} BEGIN SELECT RAISE(ABORT, 'no second'); END`,
          ],
          ['DROP TRIGGER no_second'],
        ]
      : [
          [
            "CREATE FUNCTION no_second() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no second'; END $$",
            `CREATE TRIGGER no_second BEFORE INSERT ON licenses FOR EACH ROW WHEN (NEW.metadata->>'unit' = '2') EXECUTE FUNCTION no_second()`,
          ],
          ['DROP TRIGGER no_second ON licenses', 'DROP FUNCTION no_second'],
        ];
  const run = (texts: readonly string[]) =>
    database.transaction(async ({ knex }) => {
      for (const text of texts) await knex.raw(text);
    });
  await run(up);
  try {
    await work();
  } finally {
    await run(down);
  }
}
