import type { Job } from '#kernel/capability.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { orderAutoCompleteDays } from '#storefront/contract/selling-settings.ts';
import * as orders from '../orders/index.ts';
import { listPaidWithoutGoods, listShippedBefore } from './queries.ts';
import { shipmentsOf } from './repository.ts';

/** Completes what nobody completed: each order in a transaction of its own. */
export async function completeOrders(ctx: Ctx): Promise<{ completed: number }> {
  let completed = 0;
  for (const id of await listPaidWithoutGoods(ctx)) {
    const order = await orders.findOrder(ctx, id);
    if (order && (await orders.completePaid(ctx, order)).status === 'completed') completed += 1;
  }
  const before = addSeconds(ctx.now(), -ctx.settings.get(orderAutoCompleteDays) * SECONDS_PER_DAY);
  for (const id of await listShippedBefore(ctx, before))
    completed += Number(await completeOld(ctx, id, before));
  return { completed };
}

/** It may have moved since it was listed. */
const completeOld = (ctx: Ctx, id: string, before: string): Promise<boolean> =>
  ctx.tx(async (ctx) => {
    const order = await orders.lockOrder(ctx, id);
    if (order?.status !== 'shipped' || order.paidAt === null) return false;
    const live = (await shipmentsOf(ctx, id)).filter(({ status }) => status !== 'cancelled');
    if (live.some(({ shippedAt }) => shippedAt === null || shippedAt > before)) return false;
    const after = await orders.transition(ctx, order, 'complete', { completedAt: ctx.now() });
    await orders.tell(ctx, 'order.completed', after, order);
    return true;
  });

export const completeOrdersJob: Job = {
  name: 'complete-orders',
  description:
    'Completes paid orders with nothing to ship, and orders shipped long ago (order_auto_complete_days)',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: completeOrders,
};
