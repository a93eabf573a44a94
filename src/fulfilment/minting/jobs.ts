import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { carriedOut } from './effects.ts';
import { ordersWaiting } from './queries.ts';
import * as repo from './repository.ts';
import { settleLicenses } from './settle.ts';

/** Makes what is missing of an order, and does what could not be done to its licenses. @returns how many still wait */
export async function retryOrder(ctx: Ctx, orderId: string): Promise<number> {
  return ctx.tx(async (ctx) => {
    await orders.lock(ctx, orderId);
    let waiting = await settleLicenses(ctx, orderId);
    for (const mint of await repo.mintsOf(ctx, orderId)) {
      const isMade = mint.licenseId !== null || mint.renewedDays !== null;
      if (mint.status === mint.wanted || !isMade) continue;
      const after = await carriedOut(ctx, mint, null);
      await repo.updateMint(ctx, after);
      if (after.status !== after.wanted) waiting += 1;
    }
    return waiting;
  });
}

async function retryMints(ctx: Ctx): Promise<Record<string, number>> {
  let waiting = 0;
  const due = await ordersWaiting(ctx, ctx.now());
  for (const orderId of due) {
    try {
      waiting += await retryOrder(ctx, orderId);
    } catch (error) {
      ctx.log.error({ err: error, order: orderId }, 'the licenses of an order could not be tried again');
      waiting += 1;
    }
  }
  return { orders: due.length, waiting };
}

export const retryMintsJob: Job = {
  name: 'retry-mints',
  description: 'Retries creating and changing licenses of paid orders',
  everySeconds: 60,
  run: retryMints,
};
