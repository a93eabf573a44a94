import type { Job } from '#kernel/capability.ts';
import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { cartExpiryDays } from '#storefront/contract/selling-settings.ts';
import * as repo from './repository.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 500;

/** Ends carts that nobody has touched for long, and removes those that ended as long ago (storefront-domain 6.9). */
export async function expire(ctx: Ctx): Promise<{ expired: number; removed: number }> {
  const now = ctx.now();
  const before = isoTime(Date.parse(now) - ctx.settings.get(cartExpiryDays) * DAY_MS);
  const expired = await ctx.tx((ctx) => repo.expireBefore(ctx, before, now, AT_ONCE));
  const removed = await ctx.tx((ctx) => repo.deleteEnded(ctx, before, AT_ONCE));
  return { expired, removed };
}

export const expireCarts: Job = {
  name: 'expire-carts',
  description: 'Expires inactive carts and removes them later (cart_expiry_days)',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expire,
};
