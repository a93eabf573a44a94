import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Owner } from './owner.ts';
import type { Cart } from './record.ts';
import { lastOrderedSince } from './repository.ts';

/** The cart that somebody ordered within the last day: a request without a cart means it. */
export const lastOrdered = (ctx: Ctx, owner: Owner): Promise<Cart | null> =>
  lastOrderedSince(ctx, owner, addSeconds(ctx.now(), -SECONDS_PER_DAY));
