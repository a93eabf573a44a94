// What hostile shoppers and staff that is confined send to the buying part of the shop, and the right answers (reliability 5).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN, newShopper, type PlacedShown } from './shopper.ts';

let shop: OrderShop;
beforeAll(async () => {
  shop = await openOrderShop();
});
afterAll(() => shop.app.close());

const GIGANTIC = 100_000_000_000;
const most = 'An order costs at most $1,000,000,000.00; order fewer items at a time';
const orderCount = async () => Number((await shop.knex()('orders').count({ n: '*' }).first())?.n);

it('an order whose sum would be beyond what an order holds is not written, placed or bought', async () => {
  const variantId = await shop.stocked(5000, dear());
  const before = await orderCount();
  const items = Array.from({ length: 100 }, () => ({
    variant_id: variantId,
    quantity: 999,
    unit_cents: GIGANTIC,
  }));
  const written = { email: 'ann@example.test', shipping_address: ANN, shipping_cents: 0, items };
  for (const more of [{ draft: true }, {}, { draft: true, discounts: [{ amount_cents: GIGANTIC }] }]) {
    const { status, body } = await shop.staff.send('/orders', 'POST', { ...written, ...more });
    expect([status, body.error_code, body.error]).toEqual([400, 'VALIDATION_ERROR', most]);
  }
  const shopper = await shop.withCart(variantId, 2);
  const bought = await shopper.post('/checkout', shop.order('fake'));
  expect([bought.status, bought.body.error_code, bought.body.error]).toEqual([400, 'VALIDATION_ERROR', most]);
  expect(await orderCount()).toBe(before);
  expect(await shop.levelOf(variantId)).toMatchObject({ on_hand: 5000, reserved: 0 });
});

/** A product that costs as much as an order may. */
const dear = () => ({
  variants: [{ sku: `DEAR-${crypto.randomUUID()}`, price_cents: GIGANTIC, stock: 5000 }],
});

it('an edit does not make an order dearer than an order may be', async () => {
  const variantId = await shop.stocked(5000);
  const { id } = await shop.placed(variantId, 1, 'offline');
  const add = [{ variant_id: variantId, quantity: 999, unit_cents: GIGANTIC }];
  for (const path of ['edit/preview', 'edit']) {
    const { status, body } = await shop.staff.send(`/orders/${id}/${path}`, 'POST', { add });
    expect([status, body.error]).toEqual([400, most]);
  }
  expect(await shop.staff.data(`/orders/${id}`)).toMatchObject({ total_cents: 2400, item_count: 1 });
});

it('an order of staff says how many lines it takes', async () => {
  const variantId = await shop.stocked(5);
  const line = { variant_id: variantId, quantity: 1 };
  const lines = (count: number) => Array.from({ length: count }, () => line);
  for (const [items, says] of [
    [[], 'items needs at least one item'],
    [lines(101), 'items has more than 100 entries'],
    ['x', 'items must be a list'],
  ]) {
    const { status, body } = await shop.staff.send('/orders', 'POST', { email: 'a@b.test', items });
    expect([status, body.error]).toEqual([400, says]);
  }
});

it('the page of a link to pay is not compressed: its address is a secret beside what its query says', async () => {
  const { id } = await shop.placed(await shop.stocked(5), 1, 'offline');
  const { url } = (await shop.staff.data(`/orders/${id}/payment-link`, 'POST', {})) as unknown as {
    url: string;
  };
  const { pathname } = new URL(url);
  const shopper = await newShopper(shop.app);
  for (const path of [`${pathname}?lang=aaaaaaaa`, pathname.replace(/pay\/.*/, `pay/${'x'.repeat(43)}`)]) {
    const { headers, text } = await shop.app.send(path, { headers: { 'Accept-Encoding': 'gzip, br' } });
    expect([headers['content-encoding'], text.includes('</html>')]).toEqual([undefined, true]);
  }
  expect((await shopper.browser.open(pathname)).status).toBe(200);
});

it('staff confined to products of the license service see and change nothing of the shop', async () => {
  const { id } = await shop.placed(await shop.stocked(5));
  const product = await shop.app.product();
  for (const role of ['vendor', 'manager']) {
    const { secret } = await shop.app.adminToken(role, { productIds: [product.id] });
    for (const [path, method, body] of [
      ['/orders', 'GET'],
      [`/orders/${id}`, 'GET'],
      ['/orders/export.csv', 'GET'],
      ['/payment-events', 'GET'],
      ['/products', 'POST', { title: 'Theirs', type: 'physical' }],
      [`/orders/${id}/notes`, 'POST', { body: 'x' }],
    ] as const) {
      const answer = await shop.app.send(`/api/store${path}`, {
        method,
        body,
        headers: { Authorization: `Bearer ${secret}` },
      });
      expect([role, path, answer.status, answer.body.error_code]).toEqual([
        role,
        path,
        403,
        'AUTH_FORBIDDEN',
      ]);
      expect(answer.text).not.toContain('ann@example.test');
    }
    const licensing = await shop.app.send('/api/v1/admin/products', {
      headers: { Authorization: `Bearer ${secret}` },
    });
    expect([licensing.status, licensing.text.includes(product.id)]).toEqual([200, true]);
  }
});

it('a code that others have used up meanwhile is not lost unnoticed', async () => {
  const variantId = await shop.stocked(10);
  const code = `ONCE${Date.now()}`;
  const coupon = {
    name: 'Once',
    code,
    effect: 'percent',
    percent_bps: 1000,
    usage_limit: 1,
    status: 'active',
  };
  await shop.staff.data('/promotions', 'POST', coupon);
  const [first, second] = [await shop.withCart(variantId), await shop.withCart(variantId)];
  for (const one of [first, second]) await one.data('/cart/coupon', { code });
  expect((await first.data<PlacedShown>('/checkout', shop.order('fake'))).order.total_cents).toBe(2210);
  const before = await orderCount();
  const refused = await second.post('/checkout', shop.order('fake'));
  expect([refused.status, refused.body.details]).toMatchObject([
    400,
    { reason: 'PROMOTION_EXHAUSTED', totals: { total_cents: 2400, amount_due_cents: 2400 } },
  ]);
  expect(await orderCount()).toBe(before);
  const seen = shop.order('fake', { expected_total_cents: 2400 });
  expect((await second.data<PlacedShown>('/checkout', seen)).order.total_cents).toBe(2400);
});

it('the form of the checkout charges no more than it showed, when a gift card was emptied meanwhile', async () => {
  const variantId = await shop.stocked(10);
  const card = await shop.staff.data('/gift-cards', 'POST', { amount_cents: 2000 });
  const shopper = await shop.withCart(variantId);
  await shopper.data('/cart/gift-card', { code: card.code });
  const { source_id: _source, processor: _processor, ...delivery } = shop.order('fake');
  await shopper.data('/checkout/validate', delivery);
  const page = await shopper.browser.open('/shop/checkout');
  const shownIn = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1] ?? '';
  expect([shownIn('expected'), shownIn('due')]).toEqual(['2400', '400']);
  await shop.staff.data(`/gift-cards/${card.id}/adjust`, 'POST', { delta_cents: -1500, reason: 'spent' });
  const form = {
    cart: shownIn('cart'),
    expected: shownIn('expected'),
    due: shownIn('due'),
    email: 'ann@example.test',
    ...ANN,
    method: shop.methodId as string,
    processor: 'fake',
    source: 'ok',
  };
  const before = await orderCount();
  const refused = await shopper.browser.submit('/shop/checkout', form);
  expect([refused.status, refused.text.includes('name="due" value="1900"')]).toEqual([400, true]);
  expect(await orderCount()).toBe(before);
  const placed = await shopper.browser.submit('/shop/checkout', { ...form, due: '1900' });
  expect([placed.status, await orderCount()]).toEqual([303, before + 1]);
});
