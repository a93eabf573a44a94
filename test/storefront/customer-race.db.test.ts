// Customers whom several processes merge at once, while orders of theirs are placed: each order counts once, with whoever is left.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { guestOf } from '#storefront/people/customers/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { MergeWork } from '../support/merge-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<MergeWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<MergeWork, Tally>('merge-process.ts', installation.cwd, database.url),
    ),
  );
});
afterAll(async () => {
  await Promise.all(rivals.map((one) => one.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

let made = 0;
const guest = async (): Promise<string> =>
  (await guestOf(instance.ctx, { email: `race-${++made}@x.test` })).id;

const MONEY = [
  'subtotal_cents',
  'item_discount_cents',
  'order_discount_cents',
  'loyalty_discount_cents',
  'shipping_cents',
  'shipping_discount_cents',
  'tax_cents',
  'shipping_tax_cents',
  'total_cents',
  'gift_card_cents',
  'paid_cents',
  'refunded_cents',
  'shipping_refunded_cents',
];

/** An order of a customer as a checkout leaves it before it is placed. */
async function order(customerId: string): Promise<string> {
  const { ctx } = instance;
  const id = ctx.newId('ord');
  await ctx.tx(async (ctx) => {
    const now = ctx.now();
    await ctx.db.knex('orders').insert({
      id,
      customer_id: customerId,
      email: 'race@x.test',
      email_norm: 'race@x.test',
      status: 'pending',
      payment_status: 'unpaid',
      fulfillment_status: 'unfulfilled',
      currency: 'USD',
      locale: 'en',
      prices_include_tax: false,
      item_count: 1,
      ...Object.fromEntries(MONEY.map((name) => [name, 0])),
      source: 'web',
      tags: '[]',
      version: 1,
      placed_at: now,
      created_at: now,
      updated_at: now,
    });
  });
  return id;
}

/** What all processes do, shared out among them. */
async function fight(work: MergeWork): Promise<Tally> {
  const each = await Promise.all(
    rivals.map((one, side) =>
      one.work({
        merges: work.merges.filter((_, at) => at % RIVALS === side),
        placed: work.placed.filter((_, at) => at % RIVALS === side),
      }),
    ),
  );
  const tally: Tally = {};
  for (const one of each)
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const row = async (id: string) => {
  const found = await instance.database.db.knex('customers').where({ id }).first();
  return {
    orders: Number(found?.order_count),
    spent: Number(found?.spent_cents),
    into: found?.merged_into_id as string | null,
  };
};
const ordersOf = async (id: string): Promise<number> =>
  (await instance.database.db.knex('orders').where({ customer_id: id })).length;

it('one merge wins of ten of the same two', async () => {
  const [target, source] = [await guest(), await guest()];
  await order(source);
  const tally = await fight({
    merges: Array.from({ length: 10 }, () => [target, source] as const),
    placed: [],
  });
  expect(tally).toEqual({ done: 1, INVALID_TRANSITION: 9 });
  expect([await ordersOf(target), await ordersOf(source)]).toEqual([1, 0]);
});

it('of two who are merged into each other at once one is left', async () => {
  for (let time = 0; time < 5; time += 1) {
    const [a, b] = [await guest(), await guest()];
    const tally = await fight({
      merges: [
        [a, b],
        [b, a],
      ],
      placed: [],
    });
    expect(tally).toEqual({ done: 1, INVALID_TRANSITION: 1 });
    expect([(await row(a)).into, (await row(b)).into].filter((one) => one === null)).toHaveLength(1);
  }
});

it('20 orders that are placed while their customer is merged count with whoever is left, each once', async () => {
  const [target, source] = [await guest(), await guest()];
  const placed = await Promise.all(
    Array.from({ length: 20 }, async () => ({ order: await order(source), customer: source })),
  );
  expect(await fight({ merges: [[target, source]], placed })).toEqual({ done: 21 });
  expect(await row(target)).toMatchObject({ orders: 20, spent: 2000 });
  expect(await row(source)).toEqual({ orders: 0, spent: 0, into: target });
  expect([await ordersOf(target), await ordersOf(source)]).toEqual([20, 0]);
});
