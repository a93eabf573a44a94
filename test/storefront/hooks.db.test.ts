// Hooks of the operator in a shop: at each of the points, before and after (storefront-domain 19).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOutboxWorker } from '#kernel/outbox/worker.ts';
import { hookHandler } from '#platform/hooks/index.ts';
import { storeHookThens } from '#storefront/tools/hooks/index.ts';
import { switchboard, type TestHook } from '../support/hooks.ts';
import type { HttpReply } from '../support/http-client.ts';
import { runJob } from '../support/jobs.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN, type PlacedShown } from './shopper.ts';
import { mug } from './store-client.ts';

const { dir, on, clear } = switchboard();
let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop({ env: { APPCTL_HOOKS_DIR: dir }, metrics: true });
}, 60_000);
afterEach(clear);
afterAll(() => shop?.app.close());

/** What a hook was called with, in order. */
function calls(event: string, work: TestHook = () => undefined) {
  const seen: { payload: Record<string, unknown>; about: unknown }[] = [];
  on[event] = (payload, about, HookError) => {
    seen.push({ payload, about });
    return work(payload, about, HookError);
  };
  return seen;
}

const refusing =
  (why = 'Not today'): TestHook =>
  (_payload, _about, HookError) => {
    throw new HookError(why);
  };

const answered = ({ status, body }: HttpReply) => {
  const { reason } = (body.details ?? {}) as { reason?: string };
  return [status, body.error_code, reason, body.error];
};
const REJECTED = [400, 'VALIDATION_ERROR', 'HOOK_REJECTED', 'Not today'];

/** Calls what waits in the outbox. */
const runAfter = () =>
  createOutboxWorker({ ctx: shop.app.ctx, handlers: [hookHandler(storeHookThens)] }).idle();
const runRows = () => shop.knex()('hook_runs').orderBy('created_at').select('*');

describe('before an order is made at the checkout', () => {
  it('a hook sees what is about to be ordered, and who orders', async () => {
    const seen = calls('before:order.create');
    const variantId = await shop.stocked(5);
    await shop.placed(variantId, 2, 'offline', { note: 'Ring twice' });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      payload: {
        source: 'web',
        processor: 'offline',
        email: 'ann@example.test',
        note: 'Ring twice',
        shipping_address: { country: 'US', city: 'Springfield' },
        items: [{ variant_id: variantId, quantity: 2, unit_cents: 1900 }],
        totals: { total_cents: 4300, due_cents: 4300 },
      },
      about: { event: 'before:order.create', actor: { kind: 'guest' } },
    });
    expect(Object.isFrozen(seen[0]?.payload.items)).toBe(true);
  });

  it('a HookError refuses with its message: nothing is written or held', async () => {
    on['before:order.create'] = refusing();
    const variantId = await shop.stocked(1);
    const shopper = await shop.withCart(variantId);
    await shopper.post('/checkout/contact', { email: 'ann@example.test' });
    const sent = shop.order('fake');
    await shopper.post('/checkout/validate', sent);
    const { result, changes } = await shop.app.changesBy(() => shopper.post('/checkout', sent));
    expect(answered(result)).toEqual(REJECTED);
    expect(changes.events).toEqual([]);
    expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 1, reserved: 0 });
    expect(
      Object.keys(changes.rows ?? {}).filter((table) => /orders|payments|customers/.test(table)),
    ).toEqual([]);
    clear();
    expect((await shopper.post('/checkout', sent)).status).toBe(201);
  });

  it('any other failure is one of the server, whose reason only the log has', async () => {
    on['before:order.create'] = () => {
      throw new TypeError('secret of the operator');
    };
    const variantId = await shop.stocked(1);
    const shopper = await shop.withCart(variantId);
    const reply = await shopper.post('/checkout', shop.order('fake'));
    expect([reply.status, reply.body.error_code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(reply.text).not.toContain('secret of the operator');
    expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 1, reserved: 0 });
  });

  it('a hook that hangs is given up after five seconds', async () => {
    on['before:order.create'] = () => new Promise(() => undefined);
    const shopper = await shop.withCart(await shop.stocked(1));
    const started = performance.now();
    const { status } = await shopper.post('/checkout', shop.order('fake'));
    expect(status).toBe(500);
    expect(performance.now() - started).toBeGreaterThan(4900);
  }, 30_000);

  it('changes what it may, priced and checked again', async () => {
    const dear = await shop.staff.data('/shipping/zones', 'GET').then(() => shop.methodId);
    on['before:order.create'] = (payload) => ({
      ...payload,
      note: 'Call first',
      phone: '+1 555 0100',
      shipping_address: { ...(payload.shipping_address as object), city: 'Chicago' },
      shipping_method_id: dear,
      totals: { total_cents: 1 },
    });
    const variantId = await shop.stocked(1);
    const order = await shop.placed(variantId, 1, 'fake');
    expect(order.total_cents).toBe(2400);
    expect(await shop.staff.data(`/orders/${order.id}`)).toMatchObject({
      note: 'Call first',
      phone: '+1 555 0100',
      addresses: { shipping: { city: 'Chicago', line1: ANN.line1 } },
    });
  });

  it('a change that makes the total another one than the shopper saw asks them again', async () => {
    const zone = await shop.staff.data('/shipping/zones', 'POST', {
      name: 'DE',
      regions: [{ country: 'DE' }],
    });
    const method = await shop.staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
      name: 'DHL',
      kind: 'flat',
    });
    await shop.staff.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 900 }] });
    on['before:order.create'] = ({ shipping_address: address }) => ({
      shipping_address: { ...(address as object), country: 'DE', state: null, postal_code: '10115' },
      shipping_method_id: method.id,
    });
    const shopper = await shop.withCart(await shop.stocked(1));
    const sent = shop.order('fake', { expected_total_cents: 2400 });
    expect(answered(await shopper.post('/checkout', sent)).slice(0, 3)).toEqual([
      400,
      'VALIDATION_ERROR',
      'TOTAL_CHANGED',
    ]);
    // What the hook changed stands in the cart: the shopper sees it, and orders.
    const placed = await shopper.data<PlacedShown>('/checkout', {
      processor: 'fake',
      source_id: 'ok',
      expected_total_cents: 2800,
    });
    expect(placed.order.total_cents).toBe(2800);
  });

  it.each([
    ['an id', { items: [] }],
    ['an unknown field', { discount: 1 }],
    ['an address that is not whole', { shipping_address: { country: 'DE' } }],
    ['an email that is none', { email: 'ann' }],
  ])('%s it may not change: nothing is ordered', async (_what, changes) => {
    on['before:order.create'] = () => changes;
    const shopper = await shop.withCart(await shop.stocked(1));
    expect((await shopper.post('/checkout', shop.order('fake'))).status).toBe(500);
  });

  it('may ask this server: it holds nothing that a request waits for', async () => {
    const variantId = await shop.stocked(2);
    on['before:order.create'] = async (payload) => {
      const [{ product_id: id }] = payload.items as unknown as [{ product_id: string }];
      await shop.staff.data(`/products/${id}`, 'PATCH', { brand: 'Changed by a hook' });
      return { note: 'asked' };
    };
    expect((await shop.placed(variantId)).total_cents).toBe(2400);
  });
});

describe('orders of staff', () => {
  const written = (more: object = {}) => ({
    email: 'bob@example.test',
    shipping_address: ANN,
    shipping_method_id: shop.methodId,
    ...more,
  });

  it('are asked for when they are placed, at once or later', async () => {
    const variantId = await shop.stocked(9);
    const seen = calls('before:order.create', () => ({ note: 'From a hook', email: 'carl@example.test' }));
    const items = [{ variant_id: variantId, quantity: 1 }];
    const order = await shop.staff.data('/orders', 'POST', written({ items }));
    expect(order).toMatchObject({ note: 'From a hook', email: 'carl@example.test', status: 'pending' });
    expect(seen.map(({ payload }) => payload.source)).toEqual(['admin']);
    const draft = await shop.staff.data('/orders', 'POST', written({ items, draft: true }));
    expect(seen).toHaveLength(1);
    on['before:order.create'] = refusing();
    const placing = `/orders/${draft.id}/place`;
    expect(answered(await shop.staff.send(placing, 'POST', { payment: 'offline' }))).toEqual(REJECTED);
    clear();
    expect(await shop.staff.data(placing, 'POST', { payment: 'offline' })).toMatchObject({
      status: 'pending',
    });
  });

  it('a person or a key that changes an order is asked for; a payment is not', async () => {
    const variantId = await shop.stocked(9);
    const { id } = await shop.placed(variantId, 1, 'offline');
    on['before:order.update'] = refusing();
    const at = `/orders/${id}`;
    const item = ((await shop.staff.data(at)).items as unknown as [{ id: string }])[0].id;
    const doing: [string, 'POST' | 'PATCH', object][] = [
      [at, 'PATCH', { internal_note: 'x' }],
      [`${at}/edit`, 'POST', { update: [{ order_item_id: item, quantity: 2 }] }],
      [`${at}/cancel`, 'POST', { reason: 'x' }],
    ];
    for (const [path, method, body] of doing)
      expect(answered(await shop.staff.send(path, method, body))).toEqual(REJECTED);
    await shop.staff.data(`${at}/payments`, 'POST', { amount_cents: 2400, method: 'bank_transfer' });
    expect(answered(await shop.staff.send(`${at}/hold`, 'POST', { reason: 'x' }))).toEqual(REJECTED);
    const seen = calls('before:order.update', ({ action }) =>
      action === 'hold' ? { reason: 'The hook says wait' } : undefined,
    );
    expect(await shop.staff.data(`${at}/hold`, 'POST', { reason: 'x' })).toMatchObject({
      status: 'on_hold',
      hold_reason: 'The hook says wait',
    });
    await shop.staff.data(`${at}/release`, 'POST', {});
    on['before:order.update'] = ({ action }) => (action === 'change' ? { tags: ['seen'] } : undefined);
    expect(await shop.staff.data(at, 'PATCH', { internal_note: 'y' })).toMatchObject({
      internal_note: 'y',
      tags: ['seen'],
    });
    expect(seen.map(({ payload }) => payload.action)).toEqual(['hold', 'release']);
    expect(seen[0]?.payload).toMatchObject({ order: { id, status: 'processing' }, reason: 'x' });
  });

  it('the last shipment and the completion wait for their hooks, and keep their state when refused', async () => {
    const variantId = await shop.stocked(9);
    const { id } = await shop.placed(variantId, 2);
    const item = ((await shop.staff.data(`/orders/${id}`)).items as unknown as [{ id: string }])[0].id;
    const shipped = calls('before:order.shipped', refusing());
    const path = `/orders/${id}/shipments`;
    const part = { items: [{ order_item_id: item, quantity: 1 }], ship_now: true };
    await shop.staff.data(path, 'POST', part);
    expect(shipped).toEqual([]);
    expect(answered(await shop.staff.send(path, 'POST', part))).toEqual(REJECTED);
    expect(await shop.staff.data(`/orders/${id}`)).toMatchObject({ status: 'processing' });
    expect(shipped[0]?.payload).toMatchObject({ id, status: 'processing' });
    clear();
    const [first, last] = [
      ...((await shop.staff.data(path)) as unknown as { id: string }[]),
      await shop.staff.data(path, 'POST', part),
    ];
    expect((await shop.staff.data(`/orders/${id}`)).status).toBe('shipped');
    on['before:order.completed'] = refusing();
    await shop.staff.data(`/shipments/${first?.id}/deliver`, 'POST', {});
    expect(answered(await shop.staff.send(`/shipments/${last?.id}/deliver`, 'POST', {}))).toEqual(REJECTED);
    expect((await shop.staff.data(`/orders/${id}`)).status).toBe('shipped');
    clear();
    await shop.staff.data(`/shipments/${last?.id}/deliver`, 'POST', {});
    expect((await shop.staff.data(`/orders/${id}`)).status).toBe('completed');
  });

  it('a digital order stays processing until the job may complete it', async () => {
    const variantId = await shop.stocked(9, { type: 'digital' });
    on['before:order.completed'] = refusing();
    const order = await shop.placed(variantId, 1, 'fake', { shipping_method_id: undefined });
    expect(order.status).toBe('processing');
    await runJob(shop.app.ctx, 'complete-orders');
    expect((await shop.staff.data(`/orders/${order.id}`)).status).toBe('processing');
    clear();
    await runJob(shop.app.ctx, 'complete-orders');
    expect((await shop.staff.data(`/orders/${order.id}`)).status).toBe('completed');
  });
});

describe('products and stock', () => {
  it('a hook changes or refuses a new product, and a change of one', async () => {
    const seen = calls('before:product.created', () => ({ brand: 'Kiln', tags: ['new'] }));
    const made = await shop.staff.data('/products', 'POST', mug({ title: 'Hooked mug' }));
    expect(made).toMatchObject({ title: 'Hooked mug', brand: 'Kiln', tags: ['new'] });
    expect(seen[0]?.payload).toMatchObject({ title: 'Hooked mug', type: 'physical' });
    const path = `/products/${made.id}`;
    on['before:product.updated'] = ({ product }) => ({ seo_title: (product as { title: string }).title });
    expect(await shop.staff.data(path, 'PATCH', { brand: 'Oven' })).toMatchObject({
      brand: 'Oven',
      seo: { title: 'Hooked mug' },
    });
    on['before:product.updated'] = on['before:product.created'] = refusing();
    expect(answered(await shop.staff.send(path, 'PATCH', { brand: 'x' }))).toEqual(REJECTED);
    expect(answered(await shop.staff.send('/products', 'POST', mug({})))).toEqual(REJECTED);
    const [{ id: variantId }] = made.variants as [{ id: string }];
    expect(answered(await shop.staff.send(`/variants/${variantId}`, 'PATCH', { price_cents: 1 }))).toEqual(
      REJECTED,
    );
    expect(await shop.staff.data(path)).toMatchObject({ brand: 'Oven' });
  });

  it('an alert of low stock is held back; the sale is not, and waits for nothing', async () => {
    const low = calls('before:inventory.low_stock', refusing());
    const told = calls('after:inventory.low_stock');
    const refused = await shop.stocked(6);
    await shop.placed(refused, 1);
    expect(low).toEqual([]);
    await runAfter();
    expect(low[0]?.payload).toMatchObject({ variant: { id: refused }, available: 5, threshold: 5 });
    await runAfter();
    expect(told).toEqual([]);
    on['before:inventory.low_stock'] = () => undefined;
    const allowed = await shop.stocked(6);
    await shop.placed(allowed, 1);
    await runAfter();
    expect(told.map(({ payload }) => (payload.variant as { id: string }).id)).toEqual([allowed]);
    expect(await runRows()).toEqual([]);
  });
});

describe('after a change', () => {
  it('a hook is told what webhooks are told, after the commit', async () => {
    const seen = calls('after:order.create');
    const order = await shop.placed(await shop.stocked(9), 1);
    expect(seen).toEqual([]);
    await runAfter();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.payload).toMatchObject({
      id: order.id,
      order_number: order.order_number,
      total_cents: 2400,
      event_id: expect.stringMatching(/^evt_/),
    });
    expect(seen[0]?.about).toMatchObject({ event: 'after:order.create', actor: { kind: 'guest' } });
    expect(await runRows()).toEqual([]);
  });

  it('one that fails is called again with the same event, and given up in the end', async () => {
    const seen = calls('after:order.create', () => {
      throw new Error('the chat is away');
    });
    const order = await shop.placed(await shop.stocked(9), 1);
    expect(order.status).toBe('processing');
    for (const seconds of [0, 30, 120, 600, 1800, 7200]) {
      shop.app.clock.advance(seconds);
      await runAfter();
    }
    expect(seen).toHaveLength(6);
    expect(new Set(seen.map(({ payload }) => payload.event_id)).size).toBe(1);
    const [row] = await runRows();
    expect(row).toMatchObject({
      state: 'failed',
      attempts: 6,
      payload: null,
      last_error: 'Error: the chat is away',
    });
    shop.app.clock.advance(100_000);
    await runAfter();
    expect(seen).toHaveLength(6);
    const [file] = (await shop.staff.data('/hooks')) as unknown as [Record<string, unknown>];
    expect(file).toMatchObject({
      file: 'switchboard.js',
      failed: 1,
      waiting: 0,
      last_error: 'Error: the chat is away',
      runs: expect.any(Number),
      avg_ms: expect.any(Number),
    });
    expect(file.subscriptions).toContainEqual(
      expect.objectContaining({ event: 'after:order.create', errors: 6 }),
    );
    await shop.app.instance.database.transaction(({ knex }) => knex('hook_runs').delete());
  });

  it('a cancelled order is an updated one, and what is rolled back calls nobody', async () => {
    const seen = calls('after:order.update');
    const { id } = await shop.placed(await shop.stocked(9), 1, 'offline');
    await shop.staff.data(`/orders/${id}/cancel`, 'POST', { reason: 'x' });
    await runAfter();
    expect(seen.map(({ payload }) => payload.status)).toEqual(['cancelled']);
    expect((await shop.staff.send(`/orders/${id}/cancel`, 'POST', { reason: 'x' })).status).toBe(400);
    await runAfter();
    expect(seen).toHaveLength(1);
  });

  it('is counted at /metrics', async () => {
    const { text } = await shop.app.get('/metrics');
    expect(text).toMatch(/appctl_hook_runs_total\{file="switchboard\.js",event="after:order\.create"\} \d+/);
    expect(text).toContain('appctl_hook_runs_waiting 0');
  });
});
