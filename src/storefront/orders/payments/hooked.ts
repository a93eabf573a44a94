import type { Ctx } from '#kernel/context.ts';
import { flag, text } from '#kernel/http/fields.ts';
import * as orders from '../orders/index.ts';
import type { Cancel } from './cancel.ts';

/** What becomes of money is not a hook's to say: who may refund was asked before. */
const changes = () => ({
  reason: text({ min: 1, max: 500, trim: true }),
  restock: flag(),
  notify: flag(),
});

/** How an order is cancelled once the operator's hooks were asked. @throws as `orders.beforeUpdate` */
export async function hookedCancel(ctx: Ctx, idOrNumber: string, how: Cancel): Promise<Cancel> {
  const { reason, refund, restock, notify = true } = how;
  const doing = { action: 'cancel', sent: { reason, refund, restock, notify }, changes };
  return { ...how, ...(await orders.beforeUpdate(ctx, idOrNumber, doing)) };
}
