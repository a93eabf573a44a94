// Uses of promotions that several processes reach for at once: the last one is taken once (storefront-domain P10).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as promotions from '#storefront/pricing/promotions/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { RedeemWork } from '../support/redeem-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<RedeemWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<RedeemWork, Tally>('redeem-process.ts', installation.cwd, database.url),
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
const knex = () => instance.database.db.knex;

/** An active promotion, with its limits. */
const limited = async (fields: object) =>
  promotions.create(instance.ctx, {
    name: `Race ${++made}`,
    effect: 'percent',
    percentBps: 1000,
    status: 'active',
    ...fields,
  });

/** So many orders at once, an equal number from each process. */
async function fight(count: number, work: Omit<RedeemWork, 'orders'>): Promise<Tally> {
  const name = `order-${++made}`;
  const orders = Array.from({ length: count }, (_, at) => `${name}-${at}`);
  const each = await Promise.all(
    rivals.map((one, side) => one.work({ ...work, orders: orders.filter((_, at) => at % RIVALS === side) })),
  );
  const tally: Tally = {};
  for (const one of each)
    for (const [outcome, times] of Object.entries(one)) tally[outcome] = (tally[outcome] ?? 0) + times;
  return tally;
}

const used = async (id: string) => (await promotions.get(instance.ctx, id)).usedCount;
const redeemed = async (id: string, ...statuses: string[]): Promise<number> =>
  (await knex()('promotion_redemptions').where({ promotion_id: id }).whereIn('status', statuses)).length;
const useOf = (promotionId: string, codeId: string | null = null) => ({
  promotionId,
  codeId,
  amountCents: 100,
});

it('20 orders at once for one use: exactly one has it', async () => {
  const { id } = await limited({ usageLimit: 1 });
  expect(await fight(20, { uses: [useOf(id)], next: 'nothing' })).toEqual({
    done: 1,
    PROMOTION_EXHAUSTED: 19,
  });
  expect([await used(id), await redeemed(id, 'held')]).toEqual([1, 1]);
  expect((await promotions.get(instance.ctx, id)).lockedAt).not.toBe(null);
});

it('a code for one use is used once, however often its promotion may be', async () => {
  const { id } = await limited({ type: 'coupon', code: 'RACE' });
  const [code] = await promotions.addCodes(instance.ctx, id, { count: 1 });
  expect(await fight(20, { uses: [useOf(id, code?.id)], next: 'use' })).toEqual({
    done: 1,
    PROMOTION_EXHAUSTED: 19,
  });
  // Those that lost have not taken the promotion either.
  expect([await used(id), await redeemed(id, 'used')]).toEqual([1, 1]);
  const [row] = await knex()('promotion_codes').where({ id: code?.id });
  expect(row.used_count).toBe(1);
});

it('a customer with one use has one, in however many orders at once', async () => {
  const { id } = await limited({ usageLimitPerCustomer: 1 });
  const work = { uses: [useOf(id)], email: 'eve@x.test', next: 'nothing' } as const;
  expect(await fight(20, work)).toEqual({ done: 1, PROMOTION_EXHAUSTED: 19 });
  expect(await used(id)).toBe(1);
  expect(await fight(4, { uses: [useOf(id)], next: 'nothing' })).toEqual({ done: 4 });
});

it('orders that want several promotions in different orders come to no standstill, and hold all or none', async () => {
  const ids = [await limited({ usageLimit: 10 }), await limited({ usageLimit: 10 })].map(({ id }) => id);
  const uses = ids.map((id) => useOf(id));
  const tallies = await Promise.all([
    fight(20, { uses, next: 'nothing' }),
    fight(20, { uses: uses.toReversed(), next: 'nothing' }),
  ]);
  const sum = (name: string) => tallies.reduce((all, one) => all + (one[name] ?? 0), 0);
  expect([sum('done'), sum('PROMOTION_EXHAUSTED')]).toEqual([10, 30]);
  for (const id of ids) expect([await used(id), await redeemed(id, 'held')]).toEqual([10, 10]);
});

it('what is given back is there again, once, whoever uses it at the same time', async () => {
  const back = await limited({ usageLimit: 20 });
  expect(await fight(20, { uses: [useOf(back.id)], next: 'release' })).toEqual({ done: 20 });
  expect([await used(back.id), await redeemed(back.id, 'released')]).toEqual([0, 20]);
  const both = await limited({ usageLimit: 20 });
  expect(await fight(20, { uses: [useOf(both.id)], next: 'both' })).toEqual({ done: 20 });
  expect(await used(both.id)).toBe(await redeemed(both.id, 'held', 'used'));
});

it('an order that gave it back takes it again by the same row; one that holds it does not take it twice', async () => {
  const { id } = await limited({});
  const by = { orderId: 'ord_again', customerId: null, emailNorm: 'a@x.test' };
  const [first] = await promotions.take(instance.ctx, by, [useOf(id)]);
  await expect(promotions.take(instance.ctx, by, [useOf(id)])).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await used(id)).toBe(1);
  await promotions.release(instance.ctx, by.orderId);
  expect(await promotions.release(instance.ctx, by.orderId)).toEqual([]);
  const [again] = await promotions.take(instance.ctx, by, [{ ...useOf(id), amountCents: 250 }]);
  expect(again).toMatchObject({ id: first?.id, amountCents: 250, status: 'held' });
  expect([await promotions.use(instance.ctx, by.orderId), await used(id)]).toEqual([1, 1]);
  expect(await promotions.use(instance.ctx, by.orderId)).toBe(0);
});

it('nothing is taken of what is not active or outside its time', async () => {
  const uses = (id: string, codeId: string | null = null) =>
    promotions.take(instance.ctx, { orderId: `ord_${++made}`, customerId: null, emailNorm: 'a@x.test' }, [
      useOf(id, codeId),
    ]);
  const gone = { code: 'VALIDATION_ERROR', details: { reason: 'PROMOTION_EXHAUSTED' } };
  const states = [
    await limited({ status: 'draft' }),
    await promotions.pause(instance.ctx, (await limited({})).id),
    await limited({ startsAt: '2099-01-01T00:00:00.000Z' }),
    await limited({ endsAt: '2001-01-01T00:00:00.000Z' }),
  ];
  for (const { id } of states) {
    await expect(uses(id)).rejects.toMatchObject(gone);
    expect(await used(id)).toBe(0);
  }
  const { id } = await limited({ type: 'coupon', code: `X-${made}` });
  const other = await limited({ type: 'coupon', code: `Y-${made}` });
  const [disabled] = await promotions.addCodes(instance.ctx, id, { count: 1 });
  await promotions.disableCode(instance.ctx, disabled?.id ?? '');
  const [expired] = await promotions.addCodes(instance.ctx, id, {
    count: 1,
    expiresAt: '2001-01-01T00:00:00.000Z',
  });
  const [foreign] = await promotions.addCodes(instance.ctx, other.id, { count: 1 });
  for (const code of [disabled, expired, foreign])
    await expect(uses(id, code?.id)).rejects.toMatchObject(gone);
  expect(await used(id)).toBe(0);
});
