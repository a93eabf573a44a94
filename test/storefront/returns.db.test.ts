// Goods that come back (storefront-domain 6.5): asked for, decided, received, and settled as money, as a gift card or by other
// goods.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckScope } from '#kernel/check.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { CHANGED_MIND, DAMAGED, returnTools } from './return-shop.ts';

const DAY = 86_400;
let shop: OrderShop;
let tools: ReturnType<typeof returnTools>;
beforeAll(async () => {
  shop = await openOrderShop();
  tools = returnTools(shop);
});
afterAll(() => shop.app.close());

const order = (id: string) => shop.staff.data(`/orders/${id}`);
const refusal = (path: string, body: object = {}) => shop.staff.refusal(`/returns${path}`, 'POST', body);
const wanted = (orderId: string, itemId: string, quantity: number, more: object = {}) => ({
  order_id: orderId,
  items: [{ order_item_id: itemId, quantity, reason_id: CHANGED_MIND, ...more }],
});
const mailsOf = async (orderId: string): Promise<string[]> =>
  (await shop.knex()('email_log').where({ related_id: orderId }).orderBy('id').select('template')).map(
    ({ template }: { template: string }) => template,
  );

it('a return goes from the request to the refund: each step moves units, stock and money once', async () => {
  const { order: made, item, variantId } = await tools.delivered(2);
  const { result: one, changes } = await shop.app.changesBy(() => tools.asked(made.id, item, 1));
  expect(changes.events.filter((name) => /^(return|order)\./.test(name)).toSorted()).toEqual([
    'order.updated',
    'return.requested',
  ]);
  expect(one).toMatchObject({
    status: 'requested',
    return_number: expect.stringMatching(/^R\d{4}$/),
    items: [{ quantity: 1, approved_quantity: 0, refund_cents: 1900, reason: 'I changed my mind' }],
    allowed: ['approve', 'reject', 'cancel'],
  });
  expect(await order(made.id)).toMatchObject({ return_status: 'requested' });
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 1, returned_quantity: 0 });

  const approved = await tools.step(one.id, 'approve', {
    instructions: 'Pack it well.',
    label_url: 'https://x.test/l',
  });
  expect(approved).toMatchObject({
    status: 'approved',
    instructions: 'Pack it well.',
    label_url: 'https://x.test/l',
  });
  expect(approved.return_by).toEqual(expect.any(String));
  expect(await order(made.id)).toMatchObject({ return_status: 'in_progress' });

  const before = await shop.levelOf(variantId);
  const items = [{ id: one.items[0]?.id, received_quantity: 1, condition: 'new' }];
  expect(await tools.step(one.id, 'receive', { items })).toMatchObject({ status: 'received' });
  expect(await shop.levelOf(variantId)).toEqual({ ...before, on_hand: before.on_hand + 1 });
  expect(await shop.knex()('stock_movements').where({ return_id: one.id }).select('delta', 'reason')).toEqual(
    [{ delta: 1, reason: 'return' }],
  );
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 0, returned_quantity: 1 });

  const done = await tools.step(one.id, 'refund', { restocking_fee_cents: 400 });
  expect(done).toMatchObject({
    status: 'completed',
    outcome: 'refund',
    restocking_fee_cents: 400,
    refunds: [{ amount_cents: 1500, status: 'succeeded', to: 'original' }],
  });
  expect(await order(made.id)).toMatchObject({
    return_status: 'partially_returned',
    payment_status: 'partially_refunded',
    refunded_cents: 1500,
  });
  expect((await mailsOf(made.id)).filter((name) => /return|refund/.test(name))).toEqual([
    'return_requested',
    'return_approved',
    'return_received',
    'return_completed',
  ]);
  const notes = await shop.knex()('invoices').where({ order_id: made.id, kind: 'credit_note' });
  expect(notes).toHaveLength(1);
});

it('what cannot be returned is refused, with why', async () => {
  const { order: made, item } = await tools.delivered(2);
  const refused = async (body: object) => {
    const { status, body: answer } = await shop.staff.send('/returns', 'POST', body);
    const { reason, why } = (answer.details ?? {}) as { reason?: string; why?: string };
    return [status, answer.error_code, reason, why];
  };
  expect(await refused(wanted(made.id, item, 3))).toEqual([
    400,
    'VALIDATION_ERROR',
    'NOT_RETURNABLE',
    'none_left',
  ]);
  for (const quantity of [0, -1, 1.5])
    expect((await refused(wanted(made.id, item, quantity))).slice(0, 2)).toEqual([400, 'VALIDATION_ERROR']);
  const other = await tools.delivered(1);
  expect((await refused(wanted(made.id, other.item, 1))).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
  expect(await tools.lineOf(other.item)).toMatchObject({ return_requested_quantity: 0 });
  expect((await refused(wanted(made.id, item, 1, { reason_id: DAMAGED }))).slice(0, 2)).toEqual([
    400,
    'VALIDATION_ERROR',
  ]);
  expect(
    (await refused(wanted(made.id, item, 1, { reason_id: `rrs_${'9'.padStart(26, '0')}` }))).slice(0, 2),
  ).toEqual([400, 'VALIDATION_ERROR']);
  const unsent = await shop.placed(await shop.stocked(2));
  expect((await refused(wanted(unsent.id, unsent.items[0]?.id ?? '', 1))).at(-1)).toBe('not_sent');
  await shop.staff.data(`/orders/${unsent.id}/cancel`, 'POST', { reason: 'No', refund: 'full' });
  expect((await refused(wanted(unsent.id, unsent.items[0]?.id ?? '', 1))).at(-1)).toBe('cancelled');
  await shop.staff.data(`/orders/${made.id}/refunds`, 'POST', {
    items: [{ order_item_id: item, quantity: 2 }],
    reason: 'Both were scratched',
  });
  expect((await refused(wanted(made.id, item, 1))).at(-1)).toBe('none_left');
  expect(await shop.staff.data(`/returns?order_id=${made.id}`)).toEqual([]);
});

it('the window ends return_window_days after delivery; only staff may go beyond it, when they say so', async () => {
  const { order: made, item } = await tools.delivered(1);
  shop.app.clock.advance(30 * DAY);
  const { body } = await shop.staff.send('/returns', 'POST', wanted(made.id, item, 1));
  expect(body.details).toMatchObject({ reason: 'NOT_RETURNABLE', why: 'too_late' });
  expect(await tools.asked(made.id, item, 1, { is_late: true })).toMatchObject({ status: 'requested' });
});

it('what was rejected, cancelled or has expired can be asked back again', async () => {
  const { order: made, item } = await tools.delivered(1);
  const first = await tools.asked(made.id, item, 1);
  expect((await refusal('', wanted(made.id, item, 1))).at(-1)).toBe('NOT_RETURNABLE');
  expect(await tools.step(first.id, 'reject', { reason: 'It was worn.' })).toMatchObject({
    status: 'rejected',
    end_reason: 'It was worn.',
  });
  const second = await tools.asked(made.id, item, 1);
  await tools.step(second.id, 'approve');
  expect(await tools.step(second.id, 'cancel', {})).toMatchObject({ status: 'cancelled' });
  const third = await tools.asked(made.id, item, 1, { approve: true });
  expect(third.status).toBe('approved');
  shop.app.clock.advance(20 * DAY);
  expect(await runJob(shop.app.ctx, 'expire-returns')).toEqual({ expired: 0 });
  shop.app.clock.advance(2 * DAY);
  expect(await runJob(shop.app.ctx, 'expire-returns')).toEqual({ expired: 1 });
  expect(await tools.get(third.id)).toMatchObject({ status: 'expired' });
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 0, returned_quantity: 0 });
  expect(await order(made.id)).toMatchObject({ return_status: 'none' });
  expect((await mailsOf(made.id)).filter((name) => /return_(rejected|expired)/.test(name))).toEqual([
    'return_rejected',
    'return_expired',
  ]);
});

it('a wrong state is refused with what is allowed', async () => {
  const { order: made, item } = await tools.delivered(1);
  const one = await tools.asked(made.id, item, 1);
  const { body } = await shop.staff.send(`/returns/${one.id}/refund`, 'POST', {});
  expect(body.details).toMatchObject({
    reason: 'INVALID_TRANSITION',
    from: 'requested',
    trigger: 'refund',
    allowed: ['approve', 'reject', 'cancel'],
  });
  await tools.received(one);
  for (const [name, sent] of [
    ['approve', {}],
    ['reject', { reason: 'x' }],
    ['cancel', {}],
    ['receive', { items: [{ id: one.items[0]?.id, received_quantity: 1 }] }],
  ] as const)
    expect([name, (await refusal(`/${one.id}/${name}`, sent)).at(-1)]).toEqual([name, 'INVALID_TRANSITION']);
  await tools.step(one.id, 'close', { reason: 'It is not ours.' });
  expect((await refusal(`/${one.id}/refund`)).at(-1)).toBe('INVALID_TRANSITION');
  expect(await refusal('/ret_00000000000000000000000000/approve')).toEqual([404, 'NOT_FOUND', undefined]);
});

it('fewer units can be approved and received; the rest can be asked back again', async () => {
  const { order: made, item, variantId } = await tools.delivered(3);
  const one = await tools.asked(made.id, item, 3);
  const id = one.items[0]?.id ?? '';
  expect((await refusal(`/${one.id}/approve`, { items: [{ id, approved_quantity: 4 }] }))[1]).toBe(
    'VALIDATION_ERROR',
  );
  expect((await refusal(`/${one.id}/approve`, { items: [{ id, approved_quantity: 0 }] }))[1]).toBe(
    'VALIDATION_ERROR',
  );
  await tools.step(one.id, 'approve', { items: [{ id, approved_quantity: 2 }] });
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 2 });
  expect((await refusal(`/${one.id}/receive`, { items: [{ id, received_quantity: 3 }] }))[1]).toBe(
    'VALIDATION_ERROR',
  );
  const before = await shop.levelOf(variantId);
  await tools.step(one.id, 'receive', { items: [{ id, received_quantity: 1, condition: 'damaged' }] });
  expect(await shop.levelOf(variantId)).toEqual(before);
  expect(await tools.lineOf(item)).toMatchObject({ return_requested_quantity: 0, returned_quantity: 1 });
  expect(await tools.step(one.id, 'refund')).toMatchObject({ refunds: [{ amount_cents: 1900 }] });
  expect((await tools.asked(made.id, item, 2)).status).toBe('requested');
});

it('store credit is a gift card of the customer', async () => {
  const { order: made, item } = await tools.delivered(1);
  const one = await tools.received(await tools.asked(made.id, item, 1, { resolution: 'store_credit' }));
  const count = async () => Number((await shop.knex()('gift_cards').count({ n: '*' }))[0]?.n);
  const before = await count();
  expect(await tools.step(one.id, 'refund')).toMatchObject({
    refunds: [{ amount_cents: 1900, to: 'gift_card', status: 'succeeded' }],
  });
  expect(await count()).toBe(before + 1);
});

it('an exchange for goods of the same price costs nothing, and nobody gets the money too', async () => {
  const { order: made, item, variantId } = await tools.delivered(1);
  const one = await tools.received(await tools.asked(made.id, item, 1, { resolution: 'exchange' }));
  const done = (await shop.staff.data(`/returns/${one.id}/exchange`, 'POST', {
    items: [{ variant_id: variantId, quantity: 1 }],
  })) as unknown as { status: string; order: { id: string; order_number: string } };
  expect(done).toMatchObject({
    status: 'completed',
    outcome: 'exchange',
    exchange_order_number: expect.any(String),
    order: { source: 'exchange', status: 'processing', total_cents: 0, payment_status: 'paid' },
  });
  expect(
    (
      await shop.staff.refusal(`/orders/${made.id}/refunds`, 'POST', {
        items: [{ order_item_id: item, quantity: 1 }],
        reason: 'Twice',
      })
    ).at(-1),
  ).toBe('REFUND_TOO_LARGE');
  // The new order is cancelled: what came back can be settled another way.
  await shop.staff.data(`/orders/${done.order.id}/cancel`, 'POST', { reason: 'Not wanted' });
  expect(await tools.get(one.id)).toMatchObject({ status: 'received', outcome: null });
  expect(await tools.step(one.id, 'refund')).toMatchObject({ refunds: [{ amount_cents: 1900 }] });
});

it('dearer goods leave a difference to pay, cheaper ones one that goes back', async () => {
  const { order: made, item } = await tools.delivered(2);
  const dearer = await shop.stocked(5, {
    variants: [{ sku: `DEAR-${made.order_number}`, price_cents: 2500, stock: 5 }],
  });
  const cheaper = await shop.stocked(5, {
    variants: [{ sku: `LOW-${made.order_number}`, price_cents: 1000, stock: 5 }],
  });
  const first = await tools.received(await tools.asked(made.id, item, 1, { resolution: 'exchange' }));
  const { order: due } = (await shop.staff.data(`/returns/${first.id}/exchange`, 'POST', {
    items: [{ variant_id: dearer, quantity: 1 }],
  })) as unknown as { order: { total_cents: number; status: string } };
  expect(due).toMatchObject({ total_cents: 600, status: 'pending' });
  const second = await tools.received(await tools.asked(made.id, item, 1, { resolution: 'exchange' }));
  expect(
    await shop.staff.data(`/returns/${second.id}/exchange`, 'POST', {
      items: [{ variant_id: cheaper, quantity: 1 }],
    }),
  ).toMatchObject({ refunds: [{ amount_cents: 900, status: 'succeeded' }], order: { total_cents: 0 } });
});

it('a refund that the processor refuses opens the return again, and nothing of the money is taken', async () => {
  const { order: made, item } = await tools.delivered(1, { order: { source_id: 'refund_refused' } });
  const one = await tools.received(await tools.asked(made.id, item, 1));
  expect(await tools.step(one.id, 'refund')).toMatchObject({
    status: 'received',
    outcome: null,
    refunds: [{ status: 'failed' }],
  });
  expect(await tools.lineOf(item)).toMatchObject({
    refunded_quantity: 0,
    refunded_cents: 0,
    returned_quantity: 1,
  });
  // By hand it works.
  expect(await tools.step(one.id, 'refund', { to: 'offline' })).toMatchObject({
    status: 'completed',
    refunds: [{ status: 'failed' }, { status: 'succeeded', to: 'offline', amount_cents: 1900 }],
  });
});

it('a fee or shipping beyond what is there is refused, and the fee of the settings is kept back', async () => {
  await shop.staff.data('/settings', 'PATCH', { restocking_fee_bps: '1000' });
  const { order: made, item } = await tools.delivered(1);
  const one = await tools.received(await tools.asked(made.id, item, 1));
  expect(await refusal(`/${one.id}/refund`, { restocking_fee_cents: 1901 })).toEqual([
    400,
    'VALIDATION_ERROR',
    undefined,
  ]);
  expect((await refusal(`/${one.id}/refund`, { shipping_cents: 501 })).at(-1)).toBe('REFUND_TOO_LARGE');
  expect(await tools.get(one.id)).toMatchObject({ status: 'received' });
  expect(await tools.step(one.id, 'refund', { shipping_cents: 500 })).toMatchObject({
    restocking_fee_cents: 190,
    refunds: [{ amount_cents: 2210 }],
  });
  await shop.staff.data('/settings', 'PATCH', { restocking_fee_bps: '0' });
});

it('small returns are approved by themselves, larger ones wait', async () => {
  await shop.staff.data('/settings', 'PATCH', {
    return_auto_approve: '1',
    return_auto_approve_max_cents: '1900',
    return_instructions: 'Send it to us.',
  });
  const { order: made, item } = await tools.delivered(3);
  const placed = await orders.get(shop.app.ctx, made.id);
  const ask = (quantity: number) =>
    returns.request(
      shop.app.ctx,
      placed,
      { items: [{ orderItemId: item, quantity, reasonId: CHANGED_MIND }], resolution: 'refund' },
      { by: 'customer' },
    );
  expect(await ask(1)).toMatchObject({ status: 'approved', instructions: 'Send it to us.' });
  expect(await ask(2)).toMatchObject({ status: 'requested' });
  await shop.staff.data('/settings', 'PATCH', { return_auto_approve: '0' });
});

it('a parcel of which units are coming back cannot be cancelled', async () => {
  const variantId = await shop.stocked(3);
  const made = await shop.placed(variantId, 1);
  const shipment = await shop.staff.data(`/orders/${made.id}/shipments`, 'POST', { ship_now: true });
  const one = await tools.asked(made.id, made.items[0]?.id ?? '', 1);
  expect(await shop.staff.refusal(`/shipments/${shipment.id}/cancel`, 'POST', {})).toEqual([
    400,
    'VALIDATION_ERROR',
    'INVALID_TRANSITION',
  ]);
  await tools.step(one.id, 'cancel', {});
  expect(await shop.staff.data(`/shipments/${shipment.id}/cancel`, 'POST', {})).toMatchObject({
    status: 'cancelled',
  });
});

it('reasons are added and changed; one that is used is no longer offered instead of removed', async () => {
  const reasons = async () =>
    ((await shop.app.send('/api/shop/return-reasons')).body.data as unknown as { label: string }[]).map(
      ({ label }) => label,
    );
  const { id } = await shop.staff.data('/return-reasons', 'POST', {
    label: 'Arrived late',
    requires_note: true,
  });
  expect((await reasons()).at(-1)).toBe('Arrived late');
  await shop.staff.data(`/return-reasons/${id}`, 'PATCH', { label: 'It came late', requires_note: false });
  const { order: made, item } = await tools.delivered(1);
  await shop.staff.data('/returns', 'POST', wanted(made.id, item, 1, { reason_id: id }));
  await shop.staff.send(`/return-reasons/${id}`, 'DELETE');
  expect(await reasons()).not.toContain('It came late');
  expect(await shop.staff.data(`/return-reasons/${id}`)).toMatchObject({ active: false });
});

it.each([
  ['order_items', { return_requested_quantity: 5 }, 'requested to return'],
  ['order_items', { returned_quantity: 4 }, 'returned units'],
  ['returns', { outcome: 'exchange' }, 'status does not match'],
])('doctor finds a fault in %s: %o', async (table, fault, words) => {
  const [row] = await shop
    .knex()('returns')
    .where({ status: 'completed', outcome: 'refund' })
    .limit(1)
    .select('id');
  const [line] = await shop.knex()('return_items').where({ return_id: row.id }).select('order_item_id');
  const id = table === 'returns' ? row.id : line.order_item_id;
  const finding = () =>
    checks
      .find((one) => one.id === 'store.returns')
      ?.run({ opened: { ctx: shop.app.ctx, current: true } } as unknown as CheckScope);
  expect(await finding()).toMatchObject({ status: 'ok' });
  const [name = ''] = Object.keys(fault);
  const [before] = await shop.knex()(table).where({ id }).select(name);
  const write = (values: object) => shop.app.ctx.tx(({ db }) => db.knex(table).where({ id }).update(values));
  await write(fault);
  const broken = await finding();
  await write(before);
  expect(broken).toMatchObject({ status: 'fail', message: expect.stringContaining(words) });
});

it('digital goods are received when they are approved', async () => {
  const variantId = await shop.stocked(5, {
    type: 'digital',
    variants: [{ sku: `DIG-${crypto.randomUUID()}`, price_cents: 900, requires_shipping: false, stock: 5 }],
  });
  const made = await shop.placed(variantId, 1, 'fake', { shipping_method_id: undefined });
  const one = await tools.asked(made.id, made.items[0]?.id ?? '', 1);
  expect(await tools.step(one.id, 'approve')).toMatchObject({ status: 'received' });
  expect(await tools.step(one.id, 'refund')).toMatchObject({ refunds: [{ amount_cents: 900 }] });
});
