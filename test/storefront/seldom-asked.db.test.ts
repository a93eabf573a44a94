// Operations of the shop's API that no other test asks: each answers as it is declared.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { issue } from '#storefront/pricing/gift-cards/index.ts';
import { type CustomerClient, customerClient } from './customer-client.ts';
import { type OrderShop, openOrderShop } from './order-shop.ts';
import { ANN, type PlacedShown } from './shopper.ts';
import { another, shirt } from './store-client.ts';

let shop: OrderShop;
let ann: CustomerClient;
beforeAll(async () => {
  shop = await openOrderShop();
  ann = await customerClient(shop.app);
}, 120_000);
afterAll(() => shop.app.close());

type Option = { id: string; name: string; position: number; values: { id: string }[] };

it('staff rename an option, take a value of it away, and take away an option that nothing needs', async () => {
  const made = await shop.staff.data('/products', 'POST', shirt());
  const options = async () => (await shop.staff.data(`/products/${made.id}/options`)) as unknown as Option[];
  const [color] = await options();
  expect(await shop.staff.data(`/options/${color?.id}`, 'PATCH', { name: 'Colour' })).toMatchObject({
    name: 'Colour',
  });
  const added = await shop.staff.data(`/options/${color?.id}/values`, 'POST', { value: 'Green' });
  expect(await shop.staff.data(`/option-values/${added.id}`, 'DELETE')).toEqual({ deleted: true });
  expect((await options())[0]?.values).toHaveLength(2);
  const plain = await shop.staff.data('/products', 'POST', { title: `Plain ${another()}`, type: 'physical' });
  const extra = await shop.staff.data(`/products/${plain.id}/options`, 'POST', {
    name: 'Size',
    values: ['M'],
  });
  expect(await shop.staff.data(`/options/${extra.id}`, 'DELETE')).toEqual({ deleted: true });
  expect(await shop.staff.data(`/products/${plain.id}/options`)).toEqual([]);
});

it('staff take a way to ship away, change a rate of tax, and erase a customer', async () => {
  const zone = await shop.staff.data('/shipping/zones', 'POST', {
    name: `Zone ${another()}`,
    regions: [{ country: 'NO' }],
  });
  const method = await shop.staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'Boat',
    kind: 'flat',
  });
  expect(await shop.staff.data(`/shipping/methods/${method.id}`, 'DELETE')).toEqual({ deleted: true });
  const taxed = await shop.staff.data('/tax/zones', 'POST', {
    name: `Tax ${another()}`,
    regions: [{ country: 'SE' }],
  });
  const [standard] = (await shop.staff.data('/tax/classes')) as unknown as { id: string }[];
  const rate = await shop.staff.data(`/tax/zones/${taxed.id}/rates`, 'POST', {
    name: 'VAT',
    tax_class_id: standard?.id,
    rate_ppm: 250_000,
  });
  expect(await shop.staff.data(`/tax/rates/${rate.id}`, 'PATCH', { name: 'Moms' })).toMatchObject({
    name: 'Moms',
    rate_ppm: 250_000,
  });
  const gone = await shop.staff.data('/customers', 'POST', { email: `gone-${another()}@mail.example` });
  expect((await shop.staff.send(`/customers/${gone.id}`, 'DELETE')).status).toBe(200);
  expect((await shop.staff.data(`/customers/${gone.id}`)).email).not.toContain('mail.example');
});

it('a shopper looks at the checkout, and takes a gift card out of the cart again', async () => {
  const shopper = await shop.withCart(await shop.stocked(5));
  await shopper.data('/checkout/addresses', { shipping_address: ANN });
  const card = await issue(shop.app.ctx, { amountCents: 700, currency: 'USD', state: 'active' });
  const carried = await shopper.data<{ gift_cards: { id: string }[] }>('/cart/gift-card', {
    code: card.code,
  });
  expect(carried.gift_cards).toHaveLength(1);
  const left = await shopper.data<{ gift_cards: unknown[] }>('/cart/gift-card/remove', {
    gift_card_id: carried.gift_cards[0]?.id,
  });
  expect(left.gift_cards).toEqual([]);
  expect(await shopper.data('/checkout')).toMatchObject({ cart: { item_count: 1 } });
  expect(JSON.stringify(await shopper.data('/checkout/shipping-methods'))).toContain('Parcel');
});

it('a customer reads one address, and the parcels of an order', async () => {
  const address = await ann.data<{ id: string }>('/api/shop/addresses', 'POST', ANN);
  expect(await ann.data(`/api/shop/addresses/${address.id}`)).toMatchObject({ id: address.id });
  await ann.data('/api/store/cart/add', 'POST', { variant_id: await shop.stocked(2) });
  const { order } = await ann.data<PlacedShown>(
    '/api/store/checkout',
    'POST',
    shop.order('fake', { email: ann.email }),
  );
  await shop.staff.data(`/orders/${order.id}/shipments`, 'POST', { carrier: 'UPS', ship_now: true });
  expect(await ann.data(`/api/shop/orders/${order.order_number}/shipments`)).toMatchObject([
    { carrier: 'UPS', status: 'shipped' },
  ]);
});
