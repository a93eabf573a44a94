import type { Ctx } from '#kernel/context.ts';
import { storeFail } from '#platform/store-answers/index.ts';
import {
  countOrder,
  emailNormed,
  guestWith,
  lockCustomer,
  shopCustomerEvents,
} from '#storefront/people/customers/index.ts';
import { orderEvents } from './events.ts';
import { giveOrders, moveOrders } from './owner/repository.ts';
import * as repo from './repository.ts';

/**
 * How many orders were placed as a guest with the address of a customer. While the customer has not proven that the
 * address is theirs, there are none: nothing is disclosed (storefront-domain 7.6).
 */
export async function claimableOrders(
  ctx: Ctx,
  { email, emailVerifiedAt }: { readonly email: string; readonly emailVerifiedAt: string | null },
): Promise<number> {
  const guest = emailVerifiedAt === null ? null : await guestWith(ctx, email);
  return guest ? repo.countOrdersOf(ctx, guest.id) : 0;
}

async function tellMoved(ctx: Ctx, orderIds: readonly string[], customerId: string): Promise<void> {
  for (const id of orderIds) await orderEvents.tell(ctx, 'order.moved', id, { customerId });
}

/** Makes the orders of a customer those of the one that the customer is merged into. @returns how many there were */
export async function moveAll(ctx: Ctx, fromId: string, toId: string): Promise<number> {
  const moved = await moveOrders(ctx, fromId, toId);
  await tellMoved(ctx, moved, toId);
  return moved.length;
}

/**
 * Makes the orders that were placed as a guest with the address of a customer the customer's own, with what they count.
 * Of two calls at once, one moves them.
 *
 * @returns how many came along
 * @throws AppError AUTH_FORBIDDEN, reason EMAIL_NOT_VERIFIED; NOT_FOUND
 */
export async function claimGuestOrders(ctx: Ctx, customerId: string): Promise<{ orders: number }> {
  return ctx.tx(async (ctx) => {
    const customer = await lockCustomer(ctx, customerId);
    if (customer.emailVerifiedAt === null)
      throw storeFail('AUTH_FORBIDDEN', 'Verify your email address first', {
        details: { reason: 'EMAIL_NOT_VERIFIED' },
      });
    const found = await guestWith(ctx, customer.email);
    if (!found) return { orders: 0 };
    // What it counts may have changed until it is held.
    const guest = await lockCustomer(ctx, found.id);
    const moved = await giveOrders(ctx, guest.id, {
      id: customer.id,
      emailNorm: emailNormed(customer.email),
    });
    const orders = moved.length;
    if (orders === 0) return { orders };
    await tellMoved(ctx, moved, customer.id);
    await countOrder(ctx, guest.id, -guest.orderCount, -guest.spentCents);
    await countOrder(ctx, customer.id, guest.orderCount, guest.spentCents);
    await shopCustomerEvents.tell(ctx, 'customer.orders_claimed', customer.id, { orders, guestId: guest.id });
    return { orders };
  });
}
