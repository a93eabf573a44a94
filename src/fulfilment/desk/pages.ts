import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { missingOf } from '../minting/index.ts';
import { againOfOrder } from './changes.ts';

const pathOf = (id: string): string => `/store/orders/${encodeURIComponent(id)}`;

async function modelOf(ctx: Ctx, idOrNumber: string) {
  const order = await orders.get(ctx, idOrNumber);
  const missing = order.cancelledAt === null ? await missingOf(ctx, order.id) : [];
  return {
    number: order.orderNumber ?? order.id,
    isPaid: order.paidAt !== null && orders.settlement(order) <= 0,
    missing: missing.map(({ item: { title }, units, error }) => ({ title, units, error })),
    action: `${pathOf(order.id)}/licenses`,
    back: `${pathOf(order.id)}?tab=licenses#tabs`,
  };
}

/** What an order is missing of its licenses, and a button that makes it. */
const missingPage = page({
  path: '/store/orders/{id}/licenses',
  title: 'Missing licenses of an order',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'sell-license-keys',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: z.object({}),
  show: async (ctx, { params: { id } }) => show('store/order-licenses', await modelOf(ctx, id)),
  async submit(ctx, { params: { id } }) {
    const order = await orders.get(ctx, id);
    const waiting = await againOfOrder(ctx, order.id);
    return goTo(`${pathOf(order.id)}${waiting > 0 ? '/licenses' : '?tab=licenses#tabs'}`);
  },
});

/** Pages of licenses of orders that screens cannot declare. */
export const licenseMintPages: readonly Page[] = [missingPage];
