import type { Ctx } from '#kernel/context.ts';
import { flag, text } from '#kernel/http/fields.ts';
import * as orders from '../orders/index.ts';

/** How an order is cancelled. */
export interface Cancel {
  readonly reason: string;
  /** `full`: what was paid goes back to where it came from. Gift cards get back what they paid in any case. */
  readonly refund: 'none' | 'full';
  /** Goods go back into the store. */
  readonly restock: boolean;
  /** The customer is written to, of what goes back too; so it is when absent. */
  readonly notify?: boolean | undefined;
}

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
