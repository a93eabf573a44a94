import { z } from 'zod';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import * as orders from '../orders/index.ts';
import { create, ShipmentCreate } from '../shipments/index.ts';
import { orderPath, orRefused } from './refused.ts';

const list = (max: number) => z.array(text({ max, trim: true })).max(500);
const line = (max: number) => text({ max, trim: true }).default('');

/** As it is typed: each line of the order has a field of the same name. */
const ShipForm = later(() =>
  z.object({
    item: list(30),
    quantity: list(4),
    carrier: line(100),
    service: line(100),
    trackingNumber: line(200),
    trackingUrl: line(2000),
    shipNow: optional(text({ max: 10 })),
    notify: oneOf(['yes', 'no']).default('yes'),
  }),
);

function inputOf(sent: z.output<typeof ShipForm>): z.output<typeof ShipmentCreate> {
  const items = sent.item.flatMap((orderItemId, at) => {
    const typed = sent.quantity[at] ?? '';
    return orderItemId === '' || typed === '' || typed === '0'
      ? []
      : [{ orderItemId, quantity: Number(typed) }];
  });
  const { success, data, error } = ShipmentCreate.safeParse({
    items,
    carrier: sent.carrier || null,
    service: sent.service || null,
    trackingNumber: sent.trackingNumber || null,
    trackingUrl: sent.trackingUrl || null,
    shipNow: sent.shipNow === 'true',
    notify: sent.notify === 'yes',
  });
  if (success) return data;
  const faults = error.issues.map(({ path: [name], message }) =>
    name === 'items'
      ? ['quantity', items.length === 0 ? 'Add at least one unit' : message]
      : [String(name), message],
  );
  throw refuseForm('The shipment was not created', Object.fromEntries(faults));
}

/** Makes a parcel of an order, of all that is left or of a part of it. */
export const shipPage: Page = page({
  path: '/store/orders/{id}/ship',
  title: 'Ship order',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: ShipForm,
  async show(ctx, { params: { id } }) {
    const order = await orders.get(ctx, id);
    const items = (await orders.itemsOf(ctx, order.id)).map((item) => ({
      id: item.id,
      sku: item.sku,
      title: item.title,
      quantity: item.quantity,
      left: item.requiresShipping ? item.quantity - item.fulfilledQuantity - item.cancelledQuantity : 0,
    }));
    return show('store/order-ship', {
      action: `${orderPath(order.id)}/ship`,
      after: `${orderPath(order.id)}?tab=shipments`,
      number: order.orderNumber ?? order.id,
      items: items.filter(({ left }) => left > 0),
    });
  },
  async submit(ctx, { params: { id }, form }) {
    const order = await orders.get(ctx, id);
    const input = inputOf(form);
    await orRefused(() => create(ctx, order.id, input), 'quantity');
    return goTo(`${orderPath(order.id)}?tab=shipments`);
  },
});
