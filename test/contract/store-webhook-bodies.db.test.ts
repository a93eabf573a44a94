// The body of every event that this version sends, as a receiver reads it (storefront-domain 18).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { builtEvents } from '#storefront/contract/events.ts';
import { examples } from '#storefront/tools/webhooks/examples.ts';
import { type OrderShop, openOrderShop } from '../storefront/order-shop.ts';
import { returnTools } from '../storefront/return-shop.ts';
import { mug } from '../storefront/store-client.ts';
import { LOOPBACK_PINS, openReceiver, type Receiver, webhookWorker } from '../support/webhooks.ts';

type Json = Record<string, unknown>;
interface Body {
  event: string;
  timestamp: string;
  data: Json;
}

let shop: OrderShop;
let receiver: Receiver;
let bodies: Body[];
beforeAll(async () => {
  receiver = await openReceiver();
  shop = await openOrderShop({ pins: LOOPBACK_PINS });
  await shop.staff.data('/webhooks', 'POST', { url: receiver.url, events: ['*'] });
  await causeAll();
  await webhookWorker(shop.app.ctx).idle();
  bodies = receiver.received.map(({ body }) => JSON.parse(body) as Body);
}, 120_000);
afterAll(async () => {
  await shop?.app.close();
  await receiver?.close();
});

/** Causes each event. */
async function causeAll(): Promise<void> {
  const { staff } = shop;
  const returns = returnTools(shop);
  const product = await staff.data('/products', 'POST', mug({ brand: 'Kiln' }));
  await staff.data(`/products/${product.id}`, 'PATCH', { short_description: 'Holds 300 ml' });
  await staff.data(`/products/${product.id}`, 'DELETE');
  const customer = await staff.data('/customers', 'POST', { email: 'carl@example.test', first_name: 'Carl' });
  await staff.data(`/customers/${customer.id}`, 'PATCH', { last_name: 'Miller', tags: ['wholesale'] });
  const cancelled = await shop.placed(await shop.stocked(5), 1, 'offline');
  await staff.data(`/orders/${cancelled.id}/cancel`, 'POST', { reason: 'Asked by phone' });
  // Six of ten are left, and then five: the threshold.
  const { order, item } = await returns.delivered(5, { stock: 10 });
  const asked = await returns.asked(order.id, item, 1);
  const received = await returns.received(asked);
  await returns.step(received.id, 'refund', {});
}

/** Paths of the names in some JSON. Names that staff or shoppers choose are no names of ours. */
function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => namesIn(one, `${path}[]`));
  if (typeof value !== 'object' || value === null || path.endsWith('option_values')) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return [at, ...namesIn(one, at)];
  });
}

const bodyOf = (event: string): Body | undefined => bodies.find((one) => one.event === event);

it.each(builtEvents)('%s: event, timestamp and data with the names of the API', (event) => {
  const body = bodyOf(event);
  expect(Object.keys(body ?? {})).toEqual(['event', 'timestamp', 'data']);
  const names = namesIn(body?.data);
  expect(names.filter((name) => /[A-Z-]/.test(name))).toEqual([]);
  expect(body?.data.event_id).toMatch(/^evt_/);
  expect(body?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

it.each(builtEvents)('%s: the example that receivers are written after has the same names', (event) => {
  const names = Object.keys(bodyOf(event)?.data ?? {});
  expect(names.sort()).toEqual(['event_id', ...Object.keys(examples[event])].sort());
});

it('tells no secret, and no word of what stays with staff of the processor', () => {
  const text = JSON.stringify(bodies);
  expect(text).not.toMatch(/password|token|secret|fingerprint|totp|recovery_code|transaction_id/);
});
