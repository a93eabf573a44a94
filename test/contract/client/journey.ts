// A purchase by the client that was generated from the document of the shop's API: what a shopper's program and a
// program of staff do with it. It is compiled and bundled beside `api.ts` by the test, and knows nothing else of ours.
import { browser, type Options, refusalOf, staffOf } from './sessions.ts';

export { customer, takeBack } from './customer.ts';

const AMOUNT = 1900;
const SHIPPING = 500;

/** Makes a shop that sells a mug and sends it anywhere. */
export async function openShop(options: Options): Promise<{ slug: string }> {
  const staff = staffOf(options);
  const zone = await staff.postStoreShippingZones({ name: 'World', regions: [{ country: '*' }] });
  const method = await staff.postStoreShippingZonesZoneIdMethods(zone.data.data.id, {
    name: 'Parcel',
    kind: 'flat',
  });
  await staff.putStoreShippingMethodsIdRates(method.data.data.id, { rates: [{ price_cents: SHIPPING }] });
  const product = await staff.postStoreProducts({
    title: 'Enamel mug',
    type: 'physical',
    status: 'active',
    variants: [{ sku: 'MUG-1', price_cents: AMOUNT, stock: 10 }],
  });
  return { slug: product.data.data.slug };
}

/** A guest finds the mug, puts two into the cart and orders them. */
export async function order({ baseUrl }: Options, email: string): Promise<{ number: string; total: number }> {
  const { api } = await browser(baseUrl);
  const found = await api.getShopProducts({ q: 'enamel' });
  const slug = found.data.data[0]?.slug ?? '';
  const product = await api.getShopProductsSlug(slug);
  const variant = product.data.data.variants[0];
  const cart = await api.postStoreCartAdd({ variant_id: variant?.id ?? '', quantity: 2 });
  if (cart.data.data.subtotal_cents !== 2 * AMOUNT) throw new Error('two mugs cost twice the price of one');
  const address = {
    name: 'Ann Miller',
    line1: '1 Main Street',
    city: 'Springfield',
    state: 'IL',
    postal_code: '62701',
    country: 'US',
  };
  await api.postStoreCheckoutAddresses({ shipping_address: address });
  const methods = await api.getStoreCheckoutShippingMethods();
  const placed = await api.postStoreCheckout({
    email,
    shipping_address: address,
    shipping_method_id: methods.data.data[0]?.id ?? '',
    processor: 'offline',
    expected_total_cents: 2 * AMOUNT + SHIPPING,
  });
  const { order_number, total_cents } = placed.data.data.order;
  return { number: String(order_number), total: total_cents };
}

/** Staff find the order, note that it was paid, and send it. */
export async function send(options: Options, number: string): Promise<string> {
  const staff = staffOf(options);
  const [found] = (await staff.getStoreOrders({ q: number })).data.data;
  const id = found?.id ?? '';
  const due = (await staff.getStoreOrdersId(id)).data.data.total_cents;
  await staff.postStoreOrdersOrderIdPayments(id, { amount_cents: due, method: 'bank_transfer' });
  const items = (await staff.getStoreOrdersId(id)).data.data.items;
  await staff.postStoreOrdersOrderIdShipments(id, {
    items: items.map((item) => ({ order_item_id: item.id, quantity: item.quantity })),
    carrier: 'UPS',
    tracking_number: '1Z999',
    ship_now: true,
  });
  return (await staff.getStoreOrdersId(id)).data.data.status;
}

/** Staff give a part of the money back. */
export async function giveBack(options: Options, number: string): Promise<number> {
  const staff = staffOf(options);
  const { id } = (await staff.getStoreOrdersId(number)).data.data;
  await staff.postStoreOrdersOrderIdRefunds(id, { adjustment_cents: 300, reason: 'A scratch' });
  return (await staff.getStoreOrdersId(id)).data.data.refunded_cents;
}

/** What an unknown order answers. */
export const refusal = (options: Options): Promise<{ status: number; code: string }> =>
  refusalOf(() => staffOf(options).getStoreOrdersId('99999999'));
