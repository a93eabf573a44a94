// A shop with a way to pay and a way to send, and orders in it as shoppers make them.
import { startApp, type TestApp } from '../support/app.ts';
import { ANN, newShopper, type PlacedShown, type Shopper } from './shopper.ts';
import { mug, storeClient } from './store-client.ts';

export type OrderShop = Awaited<ReturnType<typeof openOrderShop>>;
type Placed = PlacedShown['order'];

/** Starts the shop. @param options of the application; what it pins comes beside the processors */
export async function openOrderShop({ pins, ...options }: Parameters<typeof startApp>[0] = {}) {
  const app: TestApp = await startApp({
    productionMode: false,
    ...options,
    pins: { payment_processor: 'fake', payment_processors_enabled: '["offline"]', ...pins },
  });
  const staff = await storeClient(app);
  const zone = await staff.data('/shipping/zones', 'POST', { name: 'World', regions: [{ country: '*' }] });
  const method = await staff.data(`/shipping/zones/${zone.id}/methods`, 'POST', {
    name: 'Parcel',
    kind: 'flat',
  });
  await staff.data(`/shipping/methods/${method.id}/rates`, 'PUT', { rates: [{ price_cents: 500 }] });
  const knex = () => app.instance.database.db.knex;

  /** A product with so many units. @returns the id of its variant */
  async function stocked(units: number, more: object = {}): Promise<string> {
    const sku = `DESK-${crypto.randomUUID()}`;
    const made = await staff.data(
      '/products',
      'POST',
      mug({ status: 'active', variants: [{ sku, price_cents: 1900, stock: units }], ...more }),
    );
    return (made.variants as [{ id: string }])[0].id;
  }

  /** What a checkout sends. @param processor `fake` is paid at once, `offline` later */
  const order = (processor: string, more: object = {}) => ({
    email: 'ann@example.test',
    shipping_address: ANN,
    shipping_method_id: method.id,
    processor,
    ...(processor === 'fake' && { source_id: 'ok' }),
    ...more,
  });

  /** Somebody with so many of one thing in the cart. */
  async function withCart(variantId: string, quantity = 1): Promise<Shopper> {
    const shopper = await newShopper(app);
    await shopper.data('/cart/add', { variant_id: variantId, quantity });
    return shopper;
  }

  /** An order of one thing. */
  async function placed(
    variantId: string,
    quantity = 1,
    processor = 'fake',
    more: object = {},
  ): Promise<Placed> {
    const shopper = await withCart(variantId, quantity);
    return (await shopper.data<PlacedShown>('/checkout', order(processor, more))).order;
  }

  const levelOf = (id: string) =>
    knex()('inventory_levels').where({ variant_id: id }).first('on_hand', 'reserved');
  return { app, staff, knex, stocked, placed, withCart, order, levelOf, methodId: method.id };
}

/** Names of the events of webhooks among those that a call left behind. */
export const toldOf = (events: readonly string[]): string[] =>
  events.filter((name) => name.startsWith('order.'));
