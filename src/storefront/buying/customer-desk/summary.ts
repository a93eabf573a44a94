import type { Ctx } from '#kernel/context.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { money } from '#storefront/orders/desk/index.ts';
import { statsOf } from './queries.ts';

/** The figures of a customer, for the first thing that the page about them shows. */
export async function summaryTab(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const stats = await statsOf(ctx, id);
  const words = (cents: number) => money(cents, stats.currency ?? ctx.settings.get(currencyCode));
  return {
    figures: [
      ['Orders', String(stats.orderCount)],
      ['Open orders', String(stats.openOrders)],
      ['Total ordered', words(stats.totalCents)],
      ['Average order', words(stats.averageCents)],
      ['First order', stats.firstOrderAt ?? 'none yet'],
      ['Last order', stats.lastOrderAt ?? 'none yet'],
    ],
  };
}
