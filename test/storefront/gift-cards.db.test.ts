// Gift cards for staff: how they are issued, changed, adjusted, disabled and end, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { storeClient } from './store-client.ts';

let app: TestApp;
let client: Awaited<ReturnType<typeof storeClient>>;
beforeAll(async () => {
  app = await startApp();
  client = await storeClient(app);
});
afterAll(() => app.close());

const CODE = /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/;
const make = (fields: object = {}) => client.data('/gift-cards', 'POST', { amount_cents: 5000, ...fields });
const one = (id: string) => client.data(`/gift-cards/${id}`);
const ledgerOf = async (id: string) =>
  (await client.send(`/gift-cards/${id}/ledger?sort=created`)).body.data as unknown as Record<
    string,
    unknown
  >[];
const faultOf = async (path: string, method: string, body: unknown) => {
  const { status, body: answer } = await client.send(path, method, body);
  const details = answer.details as unknown as { fields?: { field: string }[] } | undefined;
  return [status, answer.error_code, details?.fields?.[0]?.field];
};
const wrong = (field: string) => [400, 'VALIDATION_ERROR', field];
const transition = [400, 'VALIDATION_ERROR', 'INVALID_TRANSITION'];
const DAY = 86_400;
const inDays = (days: number) => new Date(Date.parse(app.ctx.now()) + days * DAY * 1000).toISOString();
/** An order that paid with a card. */
const paid = async (giftCardId: string, orderId: string, amountCents: number) => {
  await giftCards.hold(app.ctx, { giftCardId, orderId, amountCents });
  return giftCards.spend(app.ctx, { giftCardId, orderId, amountCents });
};

it('a card is an amount; its code is answered once, and stored nowhere', async () => {
  const { result: made, changes } = await app.changesBy(() =>
    make({ recipient_email: 'eve@x.test', recipient_name: 'Eve', message: 'Enjoy', note: 'For a complaint' }),
  );
  const { code, ...card } = made;
  expect(card).toEqual({
    id: expect.stringMatching(/^gft_/),
    last4: String(code).slice(-4),
    status: 'active',
    initial_cents: 5000,
    balance_cents: 5000,
    held_cents: 0,
    free_cents: 5000,
    currency: 'USD',
    expires_at: null,
    recipient_email: 'eve@x.test',
    recipient_name: 'Eve',
    message: 'Enjoy',
    order_number: null,
    order_item_id: null,
    send_at: null,
    delivered_at: null,
    note: 'For a complaint',
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect(code).toMatch(CODE);
  expect(changes.events).toEqual(['gift_card.issued']);
  expect(await one(made.id)).toEqual(card);
  expect(await ledgerOf(made.id)).toEqual([
    {
      id: expect.stringMatching(/^gcl_/),
      delta_cents: 5000,
      balance_after_cents: 5000,
      currency: 'USD',
      type: 'issue',
      order_number: null,
      order_id: null,
      refund_id: null,
      actor: expect.any(String),
      note: 'For a complaint',
      created_at: expect.any(String),
    },
  ]);
  const { knex } = app.instance.database.db;
  const rows = JSON.stringify([
    await knex('gift_cards'),
    await knex('gift_card_ledger'),
    await knex('audit_log'),
    await knex('events'),
  ]);
  for (const text of [String(code), String(code).replaceAll('-', '')]) expect(rows).not.toContain(text);
});

it('of a repeated request there is one card, with the same code', async () => {
  const { secret } = await app.adminToken('owner');
  const send = (key: string, amount: number) =>
    app.send('/api/store/gift-cards', {
      method: 'POST',
      body: { amount_cents: amount },
      headers: { Authorization: `Bearer ${secret}`, 'Idempotency-Key': key },
    });
  const [first, again] = [await send('a', 700), await send('a', 700)];
  expect([first.status, again.body]).toEqual([201, first.body]);
  const other = await send('a', 800);
  expect([other.status, (other.body.details as { reason?: string }).reason]).toEqual([
    400,
    'IDEMPOTENCY_MISMATCH',
  ]);
});

it('a rehearsal issues nothing', async () => {
  const { secret } = await app.adminToken('owner');
  const { changes } = await app.changesBy(() =>
    app.send('/api/store/gift-cards', {
      method: 'POST',
      body: { amount_cents: 700 },
      headers: { Authorization: `Bearer ${secret}`, 'Dry-Run': 'true' },
    }),
  );
  expect(Object.keys(changes.rows)).not.toContain('gift_cards');
});

it.each([
  ['amount_cents', { amount_cents: 0 }],
  ['amount_cents', { amount_cents: -5 }],
  ['amount_cents', { amount_cents: 1.5 }],
  ['amount_cents', { amount_cents: '5000' }],
  ['amount_cents', { amount_cents: 100_000_000_001 }],
  ['recipient_email', { recipient_email: 'nobody' }],
  ['recipient_name', { recipient_name: 'Eve\nBcc: all' }],
  ['message', { message: 'x'.repeat(1001) }],
  ['expires_at', { expires_at: '2001-01-01T00:00:00.000Z' }],
  ['expires_at', { expires_at: 'tomorrow' }],
])('refuses %s: %j', async (field, fields) => {
  const { result, changes } = await app.changesBy(() =>
    faultOf('/gift-cards', 'POST', { amount_cents: 5000, ...fields }),
  );
  expect([result, changes.rows]).toEqual([wrong(field), {}]);
});

it('a card without an amount is not issued', async () => {
  expect(await faultOf('/gift-cards', 'POST', {})).toEqual([400, 'VALIDATION_MISSING_FIELD', 'amount_cents']);
});

it('expires by the setting, unless it says otherwise', async () => {
  await client.data('/settings', 'PATCH', { gift_card_expiry_days: '365' });
  expect((await make()).expires_at).toBe(inDays(365));
  expect((await make({ expires_at: null })).expires_at).toBe(null);
  expect((await make({ expires_at: inDays(5) })).expires_at).toBe(inDays(5));
  await client.data('/settings', 'PATCH', { gift_card_expiry_days: null });
});

it('is found by its last characters, by the recipient and by its status', async () => {
  const card = await make({ recipient_email: 'findme@x.test' });
  const found = async (query: string) =>
    ((await client.send(`/gift-cards?${query}`)).body.data as unknown as { id: string }[]).map(
      ({ id }) => id,
    );
  expect(await found('q=findme')).toEqual([card.id]);
  expect(await found(`q=${card.last4}`)).toContain(card.id);
  expect(await found('q=findme&status=disabled')).toEqual([]);
  expect(await found('q=findme&status=active,pending')).toEqual([card.id]);
});

it('changes whom it is for, when it expires and its note, and clears them', async () => {
  const { id } = await make({ note: 'Old' });
  const { result, changes } = await app.changesBy(() =>
    client.data(`/gift-cards/${id}`, 'PATCH', {
      recipient_email: 'bob@x.test',
      expires_at: inDays(3),
      note: 'New',
    }),
  );
  expect(result).toMatchObject({ recipient_email: 'bob@x.test', expires_at: inDays(3), note: 'New' });
  expect([changes.events, Object.keys(changes.rows)]).toEqual([['gift_card.updated'], ['gift_cards']]);
  const same = await app.changesBy(() => client.data(`/gift-cards/${id}`, 'PATCH', { note: 'New' }));
  expect([same.changes.events, same.changes.rows]).toEqual([[], {}]);
  expect(
    await client.data(`/gift-cards/${id}`, 'PATCH', { recipient_email: null, expires_at: null, note: null }),
  ).toMatchObject({ recipient_email: null, expires_at: null, note: null });
  expect(await faultOf(`/gift-cards/${id}`, 'PATCH', { expires_at: '2001-01-01T00:00:00Z' })).toEqual(
    wrong('expires_at'),
  );
});

describe('an adjustment', () => {
  it('raises and lowers the balance with its reason, down to nothing and back', async () => {
    const { id } = await make();
    const adjust = (delta_cents: number) =>
      client.data(`/gift-cards/${id}/adjust`, 'POST', { delta_cents, reason: 'Goodwill' });
    const { result, changes } = await app.changesBy(() => adjust(250));
    expect([result.balance_cents, changes.events]).toEqual([5250, ['gift_card.adjusted']]);
    expect(await adjust(-5250)).toMatchObject({ balance_cents: 0, status: 'redeemed' });
    expect(await adjust(100)).toMatchObject({ balance_cents: 100, status: 'active' });
    expect((await ledgerOf(id)).map(({ type, delta_cents, note }) => [type, delta_cents, note])).toEqual([
      ['issue', 5000, null],
      ['adjust', 250, 'Goodwill'],
      ['adjust', -5250, 'Goodwill'],
      ['adjust', 100, 'Goodwill'],
    ]);
    expect(await giftCards.giftCardSums(app.ctx)).toEqual([]);
  });

  it('leaves what orders hold, and nothing below 0', async () => {
    const { id } = await make();
    await giftCards.hold(app.ctx, { giftCardId: id, orderId: 'ord_held', amountCents: 2000 });
    const path = `/gift-cards/${id}/adjust`;
    const reason = 'x';
    expect(await faultOf(path, 'POST', { delta_cents: -3001, reason })).toEqual(wrong('delta_cents'));
    expect(await client.data(path, 'POST', { delta_cents: -3000, reason })).toMatchObject({
      balance_cents: 2000,
      held_cents: 2000,
      free_cents: 0,
      status: 'active',
    });
    expect(await faultOf(path, 'POST', { delta_cents: 0, reason })).toEqual(wrong('delta_cents'));
    expect(await faultOf(path, 'POST', { delta_cents: 5 })).toEqual([
      400,
      'VALIDATION_MISSING_FIELD',
      'reason',
    ]);
    expect(await faultOf(path, 'POST', { delta_cents: 100_000_000_000, reason })).toEqual(
      wrong('delta_cents'),
    );
  });

  it('is refused for a card that is neither active nor redeemed', async () => {
    const { id } = await make();
    await client.data(`/gift-cards/${id}/disable`, 'POST', { reason: 'Lost' });
    const input = { delta_cents: 5, reason: 'x' };
    expect(await client.refusal(`/gift-cards/${id}/adjust`, 'POST', input)).toEqual(transition);
  });
});

it('a disabled card pays nothing and can be enabled; who did it says why', async () => {
  const { id, code } = await make();
  const path = `/gift-cards/${id}`;
  const { result, changes } = await app.changesBy(() =>
    client.data(`${path}/disable`, 'POST', { reason: 'Stolen' }),
  );
  expect([result.status, changes.events]).toEqual(['disabled', ['gift_card.disabled']]);
  const [row] = await app.instance.database.db
    .knex('audit_log')
    .where({ target_id: id, action: 'gift_card.disabled' });
  expect(row.note).toBe('Stolen');
  expect(await client.refusal(`${path}/disable`, 'POST', { reason: 'Again' })).toEqual(transition);
  const hold = () => giftCards.hold(app.ctx, { giftCardId: id, orderId: 'ord_dis', amountCents: 5 });
  await expect(hold()).rejects.toMatchObject({ details: { reason: 'GIFT_CARD_INVALID' } });
  expect((await client.data(`${path}/enable`, 'POST', {})).status).toBe('active');
  expect(await client.refusal(`${path}/enable`, 'POST', {})).toEqual(transition);
  expect((await giftCards.findByCode(app.ctx, String(code)))?.id).toBe(id);
  await hold();
  expect(await client.refusal(`${path}/disable`, 'POST', { reason: 'Held' })).toEqual(transition);
});

it('a used up card that was disabled is redeemed when it is enabled, and one that waits waits on', async () => {
  const { card } = await giftCards.issue(app.ctx, {
    amountCents: 900,
    currency: 'USD',
    state: 'pending',
    sendAt: inDays(2),
  });
  await client.data(`/gift-cards/${card.id}/disable`, 'POST', { reason: 'x' });
  expect((await client.data(`/gift-cards/${card.id}/enable`, 'POST', {})).status).toBe('pending');
  await giftCards.withdraw(app.ctx, { giftCardId: card.id, orderId: 'ord_back' });
  expect((await client.data(`/gift-cards/${card.id}/enable`, 'POST', {})).status).toBe('redeemed');
});

describe('a card whose time is over', () => {
  it('is ended by the job with what is left on it, and not while an order holds some of it', async () => {
    const { id } = await make({ expires_at: inDays(1) });
    const { id: held } = await make({ expires_at: inDays(1) });
    await giftCards.hold(app.ctx, { giftCardId: held, orderId: 'ord_late', amountCents: 500 });
    expect(await runJob(app.ctx, 'expire-gift-cards')).toEqual({ expired: 0 });
    app.clock.advance(DAY);
    const { result, changes } = await app.changesBy(() => runJob(app.ctx, 'expire-gift-cards'));
    expect([result, changes.events]).toEqual([{ expired: 1 }, ['gift_card.expired']]);
    expect([await one(id), await one(held)]).toMatchObject([
      { status: 'expired', balance_cents: 0, initial_cents: 5000 },
      { status: 'active', balance_cents: 5000, held_cents: 500 },
    ]);
    expect((await ledgerOf(id)).at(-1)).toMatchObject({ type: 'expire', delta_cents: -5000 });
    expect(await faultOf(`/gift-cards/${id}`, 'PATCH', { expires_at: inDays(9) })).toEqual([
      400,
      'VALIDATION_ERROR',
      undefined,
    ]);
    // The order is settled, and the rest ends.
    await giftCards.spend(app.ctx, { giftCardId: held, orderId: 'ord_late', amountCents: 500 });
    expect(await runJob(app.ctx, 'expire-gift-cards')).toEqual({ expired: 1 });
    expect(await one(held)).toMatchObject({ status: 'expired', balance_cents: 0 });
    expect(await giftCards.giftCardSums(app.ctx)).toEqual([]);
  });

  it('is valid again when money comes back to it, as long as a new one', async () => {
    const { id } = await make({ expires_at: inDays(1) });
    await paid(id, 'ord_back2', 2000);
    app.clock.advance(DAY);
    await runJob(app.ctx, 'expire-gift-cards');
    await client.data('/settings', 'PATCH', { gift_card_expiry_days: '30' });
    await giftCards.reverse(app.ctx, { giftCardId: id, orderId: 'ord_back2', amountCents: 2000 });
    expect(await one(id)).toMatchObject({ status: 'active', balance_cents: 2000, expires_at: inDays(30) });
    await client.data('/settings', 'PATCH', { gift_card_expiry_days: null });
  });
});

it('names the order that it was bought with, and those that it has paid', async () => {
  const [orderId, itemId] = [app.ctx.newId('ord'), app.ctx.newId('oit')];
  await placed(orderId, itemId, 'G-1001');
  const { card } = await giftCards.issue(app.ctx, {
    amountCents: 5000,
    currency: 'USD',
    state: 'active',
    orderItemId: itemId,
  });
  await paid(card.id, orderId, 700);
  expect(await one(card.id)).toMatchObject({ order_number: 'G-1001', order_item_id: itemId });
  const { body } = await client.send(`/gift-cards/${card.id}/ledger?q=G-1001`);
  expect(body.data).toMatchObject([{ type: 'redeem', order_number: 'G-1001', order_id: orderId }]);
});

/** Rows of an order, as far as a card needs them. */
async function placed(id: string, itemId: string, order_number: string): Promise<void> {
  const now = app.ctx.now();
  const times = { created_at: now, updated_at: now };
  const cents = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}_cents`, 0]));
  const counts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 0]));
  await app.instance.database.transaction(async ({ knex }) => {
    const info = await knex('orders').columnInfo();
    const money = Object.keys(info).filter((name) => name.endsWith('_cents'));
    await knex('orders').insert({
      ...Object.fromEntries(money.map((name) => [name, 0])),
      ...{ id, order_number, email: 'a@x.test', email_norm: 'a@x.test', currency: 'USD', locale: 'en' },
      ...{ status: 'processing', payment_status: 'paid', fulfillment_status: 'unfulfilled' },
      ...{ item_count: 1, source: 'web', tags: '[]', version: 1, ...times },
    });
    await knex('order_items').insert({
      ...{ id: itemId, order_id: id, sku: 'CARD', title: 'Card', type: 'gift_card', quantity: 1 },
      ...cents('unit', 'subtotal', 'item_discount', 'order_discount', 'net', 'tax', 'total', 'refunded'),
      ...counts('weight_g', 'fulfilled_quantity', 'cancelled_quantity', 'return_requested_quantity'),
      ...counts('returned_quantity', 'refunded_quantity', 'position'),
      ...{ tax_lines: '[]', ...times },
    });
  });
}

it('the ledger stays as it is', async () => {
  const { id } = await make();
  const spoil = (work: 'update' | 'delete') =>
    app.instance.database.transaction(async ({ knex }) => {
      const rows = knex('gift_card_ledger').where({ gift_card_id: id });
      await (work === 'update' ? rows.update({ delta_cents: 1 }) : rows.delete());
    });
  await expect(spoil('update')).rejects.toThrow(/append-only/);
  await expect(spoil('delete')).rejects.toThrow(/append-only/);
});

it('the database keeps a balance that is never below 0 nor below what is held', async () => {
  const { id } = await make();
  for (const fields of [
    { balance_cents: -1 },
    { held_cents: 5001 },
    { held_cents: -1 },
    { status: 'redeemed' },
  ])
    await expect(
      app.instance.database.transaction(async ({ knex }) => {
        await knex('gift_cards').where({ id }).update(fields);
      }),
    ).rejects.toThrow();
});

it('a sum that is not that of its rows is found', async () => {
  const { id } = await make();
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('gift_cards').where({ id }).update({ balance_cents: 4000, held_cents: 10 });
  });
  expect(await giftCards.giftCardSums(app.ctx)).toEqual([
    { id, balanceCents: 4000, ledgerCents: 5000, heldCents: 10, holdsCents: 0 },
  ]);
  await app.instance.database.transaction(async ({ knex }) => {
    await knex('gift_cards').where({ id }).update({ balance_cents: 5000, held_cents: 0 });
  });
});

it('support reads cards and changes none; a shipping clerk does not see them', async () => {
  const { id } = await make();
  const support = await storeClient(app, 'support');
  expect((await support.send(`/gift-cards/${id}`)).status).toBe(200);
  const clerk = await storeClient(app, 'viewer');
  for (const [path, body] of [
    ['/gift-cards', { amount_cents: 5 }],
    [`/gift-cards/${id}/adjust`, { delta_cents: 5, reason: 'x' }],
    [`/gift-cards/${id}/disable`, { reason: 'x' }],
  ] as const) {
    expect((await support.refusal(path, 'POST', body)).slice(0, 2)).toEqual([403, 'AUTH_FORBIDDEN']);
    expect((await clerk.refusal(path, 'POST', body)).slice(0, 2)).toEqual([403, 'AUTH_FORBIDDEN']);
  }
});

it('switched off, it answers as unknown, and what is stored stays', async () => {
  const { id } = await make();
  await client.data('/features', 'PATCH', { gift_cards_enabled: false });
  expect(await client.refusal(`/gift-cards/${id}`, 'GET')).toEqual([404, 'NOT_FOUND', 'FEATURE_DISABLED']);
  const balance = '/api/shop/gift-cards/balance';
  expect((await app.send(balance, { method: 'POST', body: { code: 'x' } })).status).toBe(404);
  expect((await app.send('/shop/gift-cards/balance')).status).toBe(404);
  expect((await app.send('/api/shop/config')).body.data).toMatchObject({ features: { gift_cards: false } });
  await client.data('/features', 'PATCH', { gift_cards_enabled: true });
  expect((await one(id)).balance_cents).toBe(5000);
});
