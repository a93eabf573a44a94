import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { cartExpiryDays } from '#storefront/contract/selling-settings.ts';

/** Whose cart it is: a customer's who signed in, or a browser's. */
export interface Owner {
  readonly customerId: string | null;
  readonly sessionKey: string | null;
}

/** @param visitor null where no browser asked: a program has no cart */
export function ownerOf(visitor: Visitor | null): Owner {
  if (visitor === null) return { customerId: null, sessionKey: null };
  const { customer, session } = visitor;
  return customer?.id
    ? { customerId: customer.id, sessionKey: null }
    : { customerId: null, sessionKey: session.key };
}

/** Under which the session remembers that its browser has a cart: with that it has a row, and lasts as one does. */
const MARK = 'cart';

/**
 * Gives the browser a session that lasts, with its first cart: a guest's as long as the cart (`cart_expiry_days`). What
 * changes a cart calls it; it writes once a day.
 */
export function markSession(ctx: Ctx, visitor: Visitor | null): void {
  if (!visitor) return;
  const { customer, session } = visitor;
  const now = ctx.now();
  const last = now.slice(0, 'yyyy-mm-dd'.length);
  if (session.read(MARK) === last) return;
  session.write(MARK, last);
  // One more day, so that the cart ends first.
  if (!customer) session.keepUntil(addSeconds(now, (ctx.settings.get(cartExpiryDays) + 1) * SECONDS_PER_DAY));
}
