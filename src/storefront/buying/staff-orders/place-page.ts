import { z } from 'zod';
import { oneOf, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { money, orderPath, orRefused } from '#storefront/orders/desk/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { payableUntil } from '../pay-links/index.ts';
import { preview } from './edit.ts';
import { place } from './staff-orders.ts';

/** Places a draft: what it costs now, how it is paid, and what happens then. */
export const placePage: Page = page({
  path: '/store/orders/{id}/place',
  title: 'Place order',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: later(() => z.object({ payment: oneOf(['link', 'offline']), expected: text({ max: 12 }) })),
  async show(ctx, { params: { id } }) {
    const order = await orders.get(ctx, id);
    orders.requireAllowed(order, 'place_draft');
    const { after, draft } = await preview(ctx, order.id, {});
    return show('store/order-place', {
      action: `${orderPath(order.id)}/place`,
      after: orderPath(order.id),
      email: order.email,
      total: money(after.totalCents, after.currency),
      expected: after.totalCents,
      items: draft.items.map(({ title, sku, quantity }) => ({ title, sku, quantity })),
      until: payableUntil(ctx).slice(0, 10),
    });
  },
  async submit(ctx, { params: { id }, form }) {
    const expectedTotalCents = /^\d+$/.test(form.expected) ? Number(form.expected) : undefined;
    const { order } = await orRefused(() => place(ctx, id, { payment: form.payment, expectedTotalCents }));
    return goTo(orderPath(order.id));
  },
});
