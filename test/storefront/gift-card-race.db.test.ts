// Gift cards that several processes pay with at once: nobody pays with more than is there (storefront-domain P11).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { GiftCardWork } from '../support/gift-card-process.ts';
import { type Rival, startRival } from '../support/rival.ts';

type Tally = Record<string, number>;

const RIVALS = 2;
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival<GiftCardWork, Tally>[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all(
    Array.from({ length: RIVALS }, () =>
      startRival<GiftCardWork, Tally>('gift-card-process.ts', installation.cwd, database.url),
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
const issued = async (amountCents: number): Promise<string> =>
  (await giftCards.issue(instance.ctx, { amountCents, currency: 'USD', state: 'active' })).card.id;

/** So many orders at once, an equal number from each process. */
async function fight(count: number, work: Omit<GiftCardWork, 'orders'>): Promise<Tally> {
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

/** Status, balance and what is held; the sums of all cards are right each time. */
async function stateOf(id: string): Promise<[string, number, number]> {
  expect(await giftCards.giftCardSums(instance.ctx)).toEqual([]);
  const { status, balanceCents, heldCents } = await giftCards.get(instance.ctx, id);
  return [status, balanceCents, heldCents];
}
const entriesOf = (id: string, type: string): Promise<unknown[]> =>
  instance.database.db.knex('gift_card_ledger').where({ gift_card_id: id, type });

it('20 orders of 7.00 at once with a card of 50.00: 7 hold it', async () => {
  const card = await issued(5000);
  expect(await fight(20, { cards: [card], amountCents: 700, next: 'nothing' })).toEqual({
    done: 7,
    GIFT_CARD_EMPTY: 13,
  });
  expect(await stateOf(card)).toEqual(['active', 5000, 4900]);
  expect(await giftCards.heldOf(instance.ctx, [card])).toEqual(new Map([[card, 4900]]));
});

it('20 orders of 7.00 at once pay 49.00 of 50.00, each once', async () => {
  const card = await issued(5000);
  expect(await fight(20, { cards: [card], amountCents: 700, next: 'spend' })).toEqual({
    done: 7,
    GIFT_CARD_EMPTY: 13,
  });
  expect(await stateOf(card)).toEqual(['active', 100, 0]);
  expect(await entriesOf(card, 'redeem')).toHaveLength(7);
});

it('a card that is used up to the last cent is redeemed', async () => {
  const card = await issued(2000);
  const tally = await fight(20, { cards: [card], amountCents: 1000, next: 'spend' });
  expect([tally.done, tally.GIFT_CARD_EMPTY]).toEqual([2, 18]);
  expect(await stateOf(card)).toEqual(['redeemed', 0, 0]);
});

it('what orders give back is there again, once', async () => {
  const card = await issued(5000);
  await fight(20, { cards: [card], amountCents: 700, next: 'giveBack' });
  expect(await stateOf(card)).toEqual(['active', 5000, 0]);
});

it('a hold is spent or given back, never both', async () => {
  const card = await issued(20_000);
  expect(await fight(20, { cards: [card], amountCents: 700, next: 'both' })).toEqual({ done: 20 });
  const spent = await entriesOf(card, 'redeem');
  const [status, balance, held] = await stateOf(card);
  expect([status, balance, held]).toEqual(['active', 20_000 - 700 * spent.length, 0]);
});

it('what a cancelled order paid comes back once', async () => {
  const card = await issued(20_000);
  expect(await fight(20, { cards: [card], amountCents: 700, next: 'reverse' })).toEqual({ done: 20 });
  expect(await stateOf(card)).toEqual(['active', 20_000, 0]);
  expect(await entriesOf(card, 'reverse')).toHaveLength(20);
});

it('an order that wants two cards holds both or none, and the second keeps what is not needed of it', async () => {
  const cards = [await issued(3500), await issued(9000)] as [string, string];
  expect(await fight(20, { cards, amountCents: 700, next: 'spend' })).toEqual({
    done: 5,
    GIFT_CARD_EMPTY: 15,
  });
  expect(await stateOf(cards[0])).toEqual(['redeemed', 0, 0]);
  expect(await stateOf(cards[1])).toEqual(['active', 5500, 0]);
});
