import type { Ctx } from '#kernel/context.ts';
import { countNow, noteHour } from './repository.ts';

/**
 * Counts the seats of floating licenses that are in use, of all tenants, and keeps the most of each hour.
 *
 * @returns `products` that have floating seats
 */
export const countSeats = (ctx: Ctx): Promise<Record<string, number>> =>
  ctx.tx(async (ctx) => {
    const hour = `${ctx.now().slice(0, 13)}:00:00.000Z`;
    const counted = await countNow(ctx);
    for (const one of counted) await noteHour(ctx, { ...one, hour });
    return { products: counted.length };
  });
