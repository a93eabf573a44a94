// What orders do with gift cards: hold, spend, give back, and get money back on them (storefront-domain 6.8).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const issued = async (fields: Partial<giftCards.Issue> = {}) => {
  const { card } = await giftCards.issue(app.ctx, {
    amountCents: 5000,
    currency: 'USD',
    state: 'active',
    ...fields,
  });
  return card.id;
};
let made = 0;
const part = (giftCardId: string, amountCents: number, orderId = `ord_${++made}`) => ({
  giftCardId,
  orderId,
  amountCents,
});
const stateOf = async (id: string) => {
  const { status, balanceCents, heldCents } = await giftCards.get(app.ctx, id);
  expect(await giftCards.giftCardSums(app.ctx)).toEqual([]);
  return [status, balanceCents, heldCents];
};
const invalid = { code: 'VALIDATION_ERROR', details: { reason: 'GIFT_CARD_INVALID' } };
const empty = (free_cents: number) => ({
  code: 'VALIDATION_ERROR',
  details: { reason: 'GIFT_CARD_EMPTY', free_cents },
});
const conflict = { code: 'CONFLICT' };

it('a hold becomes a payment in the ledger; at 0 the card is redeemed', async () => {
  const id = await issued();
  const one = part(id, 2000);
  const { changes: held } = await app.changesBy(() => giftCards.hold(app.ctx, one));
  expect([held.events, Object.keys(held.rows).sort()]).toEqual([[], ['gift_card_holds', 'gift_cards']]);
  expect(await stateOf(id)).toEqual(['active', 5000, 2000]);
  const entry = await giftCards.spend(app.ctx, one);
  expect(await stateOf(id)).toEqual(['active', 3000, 0]);
  const [row] = await app.instance.database.db.knex('gift_card_ledger').where({ id: entry });
  expect(row).toMatchObject({
    type: 'redeem',
    order_id: one.orderId,
    delta_cents: -2000,
    balance_after_cents: 3000,
  });
  const rest = part(id, 3000);
  await giftCards.hold(app.ctx, rest);
  await giftCards.spend(app.ctx, rest);
  expect(await stateOf(id)).toEqual(['redeemed', 0, 0]);
  await expect(giftCards.hold(app.ctx, part(id, 1))).rejects.toMatchObject(empty(0));
});

it('no order holds more than is free, to the cent', async () => {
  const id = await issued();
  await giftCards.hold(app.ctx, part(id, 1000));
  await expect(giftCards.hold(app.ctx, part(id, 4001))).rejects.toMatchObject(empty(4000));
  await giftCards.hold(app.ctx, part(id, 4000));
  expect(await stateOf(id)).toEqual(['active', 5000, 5000]);
  expect(giftCards.freeCents(await giftCards.get(app.ctx, id))).toBe(0);
});

it.each([0, -1, 1.5, Number.NaN, 2 ** 60])('%s is not an amount', async (amountCents) => {
  const id = await issued();
  const one = part(id, amountCents);
  await expect(giftCards.hold(app.ctx, one)).rejects.toThrow(RangeError);
  await expect(giftCards.reverse(app.ctx, one)).rejects.toThrow(RangeError);
  expect(await stateOf(id)).toEqual(['active', 5000, 0]);
});

describe('cannot be used:', () => {
  it('a card that does not exist', async () => {
    await expect(giftCards.hold(app.ctx, part('gft_unknown', 5))).rejects.toMatchObject(invalid);
  });
  it('a pending card', async () => {
    const id = await issued({ state: 'pending' });
    await expect(giftCards.hold(app.ctx, part(id, 5))).rejects.toMatchObject(invalid);
    expect(giftCards.usable(await giftCards.get(app.ctx, id), app.ctx.now())).toBe(false);
  });
  it('a card whose time is over, in the moment in which it is', async () => {
    const at = new Date(Date.parse(app.ctx.now()) + 60_000).toISOString();
    const id = await issued({ expiresAt: at });
    app.clock.advance(59.999);
    await giftCards.hold(app.ctx, part(id, 5));
    app.clock.advance(0.001);
    expect(app.ctx.now()).toBe(at);
    await expect(giftCards.hold(app.ctx, part(id, 5))).rejects.toMatchObject(invalid);
    expect(giftCards.usable(await giftCards.get(app.ctx, id), app.ctx.now())).toBe(false);
  });
});

it('an order takes a card once; when it gave it back, again by the same row', async () => {
  const id = await issued();
  const one = part(id, 700);
  await giftCards.hold(app.ctx, one);
  await expect(giftCards.hold(app.ctx, one)).rejects.toMatchObject(conflict);
  expect(await stateOf(id)).toEqual(['active', 5000, 700]);
  expect([await giftCards.giveBack(app.ctx, one), await giftCards.giveBack(app.ctx, one)]).toEqual([
    true,
    false,
  ]);
  const more = { ...one, amountCents: 900 };
  await giftCards.hold(app.ctx, more);
  expect(await stateOf(id)).toEqual(['active', 5000, 900]);
  expect(await app.instance.database.db.knex('gift_card_holds').where({ gift_card_id: id })).toHaveLength(1);
  await giftCards.spend(app.ctx, more);
  await expect(giftCards.spend(app.ctx, more)).rejects.toMatchObject(conflict);
  expect(await giftCards.giveBack(app.ctx, more)).toBe(false);
  await expect(giftCards.hold(app.ctx, more)).rejects.toMatchObject(conflict);
  expect(await stateOf(id)).toEqual(['active', 4100, 0]);
});

it('only what is held is spent or given back, and by its own order', async () => {
  const id = await issued();
  const one = part(id, 700);
  await giftCards.hold(app.ctx, one);
  const other = { ...one, amountCents: 600 };
  await expect(giftCards.spend(app.ctx, other)).rejects.toMatchObject(conflict);
  await expect(giftCards.giveBack(app.ctx, other)).rejects.toMatchObject(conflict);
  await expect(giftCards.spend(app.ctx, part(id, 700))).rejects.toMatchObject(conflict);
  expect(await giftCards.giveBack(app.ctx, part(id, 700))).toBe(false);
  await expect(giftCards.spend(app.ctx, part('gft_unknown', 5))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await stateOf(id)).toEqual(['active', 5000, 700]);
});

it('what fails later in the transaction of the caller leaves nothing behind', async () => {
  const [first, second] = [await issued(), await issued({ amountCents: 100 })];
  const { result, changes } = await app.changesBy(() =>
    app.ctx
      .tx(async (ctx) => {
        await giftCards.hold(ctx, part(first, 5000, 'ord_two'));
        await giftCards.hold(ctx, part(second, 200, 'ord_two'));
      })
      .catch((error: unknown) => error),
  );
  expect([result, changes.rows]).toMatchObject([empty(100), {}]);
});

describe('money comes back', () => {
  const spent = async (amountCents: number) => {
    const id = await issued();
    const one = part(id, amountCents);
    await giftCards.hold(app.ctx, one);
    await giftCards.spend(app.ctx, one);
    return { id, one };
  };

  it('to a redeemed card, which is active again', async () => {
    const { id, one } = await spent(5000);
    const entry = await giftCards.reverse(app.ctx, one);
    expect(await stateOf(id)).toEqual(['active', 5000, 0]);
    const [row] = await app.instance.database.db.knex('gift_card_ledger').where({ id: entry });
    expect(row).toMatchObject({ type: 'reverse', order_id: one.orderId, refund_id: null, delta_cents: 5000 });
  });

  it('in parts, by several refunds, and never more than was spent', async () => {
    const { id, one } = await spent(3000);
    const refund = (amountCents: number, refundId: string) =>
      giftCards.refundTo(app.ctx, { ...one, amountCents, refundId });
    const entry = await refund(1000, 'ref_1');
    const [row] = await app.instance.database.db.knex('gift_card_ledger').where({ id: entry });
    expect(row).toMatchObject({ type: 'refund', refund_id: 'ref_1', balance_after_cents: 3000 });
    await refund(1500, 'ref_2');
    await expect(refund(501, 'ref_3')).rejects.toMatchObject(conflict);
    await giftCards.reverse(app.ctx, { ...one, amountCents: 500 });
    await expect(giftCards.reverse(app.ctx, { ...one, amountCents: 1 })).rejects.toMatchObject(conflict);
    expect(await stateOf(id)).toEqual(['active', 5000, 0]);
  });

  it('of an order that only holds it: nothing', async () => {
    const id = await issued();
    const one = part(id, 700);
    await giftCards.hold(app.ctx, one);
    await expect(giftCards.reverse(app.ctx, one)).rejects.toMatchObject(conflict);
  });
});

describe('a card whose purchase is refunded', () => {
  it('is taken back whole', async () => {
    const id = await issued({ orderItemId: 'oit_bought' });
    expect((await giftCards.listOfItems(app.ctx, ['oit_bought'])).map((one) => one.id)).toEqual([id]);
    const { changes } = await app.changesBy(() =>
      giftCards.withdraw(app.ctx, { giftCardId: id, orderId: 'ord_bought', refundId: 'ref_9' }),
    );
    expect(changes.events).toEqual(['gift_card.withdrawn']);
    expect(await stateOf(id)).toEqual(['disabled', 0, 0]);
  });

  it('stays when some of it is spent or held', async () => {
    const [id, other] = [await issued(), await issued()];
    const one = part(id, 1);
    await giftCards.hold(app.ctx, one);
    await giftCards.hold(app.ctx, part(other, 1));
    await giftCards.spend(app.ctx, one);
    for (const giftCardId of [id, other])
      await expect(giftCards.withdraw(app.ctx, { giftCardId, orderId: 'ord_bought' })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'INVALID_TRANSITION' },
      });
  });
});

it('a card is found by its code, however it is spelled, and its code alone', async () => {
  const { card, code } = await giftCards.issue(app.ctx, {
    amountCents: 5000,
    currency: 'USD',
    state: 'active',
  });
  const spellings = [
    code,
    code.toLowerCase(),
    code.replaceAll('-', ''),
    code.replaceAll('-', ' '),
    ` ${code.replaceAll('0', 'o').replaceAll('1', 'l')} `,
    code.replaceAll('0', 'O').replaceAll('1', 'I'),
  ];
  for (const one of spellings) expect((await giftCards.findByCode(app.ctx, one))?.id).toBe(card.id);
  const last = code.endsWith('Z') ? 'Y' : 'Z';
  for (const one of ['', 'x', card.id, card.last4, `${code.slice(0, -1)}${last}`, '%', `${code}0`])
    expect(await giftCards.findByCode(app.ctx, one)).toBe(null);
});
