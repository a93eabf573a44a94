import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { forgetPerson } from '#platform/audit/index.ts';
import * as secondFactor from '#platform/second-factor/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { moveAddresses } from '#storefront/people/addresses/index.ts';
import { copyConsents, forgetConsents } from '#storefront/people/consents/index.ts';
import { absorb, type Customer, lockBoth, shopCustomerEvents } from '#storefront/people/customers/index.ts';
import { forgetDevices } from '#storefront/people/devices/index.ts';
import { moveGroups } from '#storefront/people/groups/index.ts';
import { movePhotos } from '#storefront/people/photos/index.ts';
import { moveCards } from '#storefront/pricing/gift-cards/index.ts';
import { moveRedemptions } from '#storefront/pricing/promotions/index.ts';
import { holdCarts, moveCarts } from '../cart/index.ts';

/** @throws AppError CONFLICT, reason INVALID_TRANSITION, for two who cannot become one */
export function requireMergeable(target: Customer, source: Customer): void {
  const refuse = (message: string) =>
    fail('CONFLICT', message, { details: { reason: 'INVALID_TRANSITION' } });
  if (source.mergedIntoId !== null)
    throw refuse(`customer ${source.id} was merged into ${source.mergedIntoId} already`);
  for (const { id, status } of [target, source])
    if (status === 'anonymised') throw refuse(`customer ${id} was anonymized and cannot be merged`);
  if (target.isGuest && !source.isGuest)
    throw refuse(
      `${source.email} has an account and ${target.email} is a guest: merge the guest into the account instead`,
    );
}

/**
 * Makes one customer of two: orders, cart, addresses, proofs of consent, notes, groups, gift cards and uses of promotions of the source are the target's
 * then. The source keeps its id, a pointer to the target and nothing else; its sessions end. One transaction; what is
 * locked comes in the order of a checkout: carts, orders, then the customers, the lower id first.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for one customer twice; CONFLICT, reason INVALID_TRANSITION
 */
export async function merge(ctx: Ctx, targetId: string, sourceId: string): Promise<Customer> {
  if (targetId === sourceId)
    throw invalidField('source_id', 'is the customer to merge into; choose another one');
  return ctx.tx(async (ctx) => {
    const carts = await holdCarts(ctx, sourceId, targetId);
    await orders.lockOrdersOf(ctx, sourceId);
    const { target, source } = await lockBoth(ctx, { targetId, sourceId });
    requireMergeable(target, source);
    const ids = { fromId: sourceId, toId: targetId };
    await moveCarts(ctx, carts, ids);
    const moved = await orders.moveAll(ctx, sourceId, targetId);
    await moveGroups(ctx, sourceId, targetId);
    await moveCards(ctx, sourceId, targetId);
    await moveRedemptions(ctx, sourceId, targetId);
    await moveAddresses(ctx, sourceId, targetId);
    await movePhotos(ctx, sourceId, targetId);
    await copyConsents(ctx, sourceId, targetId);
    await secondFactor.remove(ctx, sourceId);
    await forgetDevices(ctx, sourceId);
    const after = await absorb(ctx, target, source);
    await forgetConsents(ctx, sourceId);
    await shopCustomerEvents.tell(ctx, 'customer.merged', targetId, { source_id: sourceId, orders: moved });
    await forgetPerson(ctx, sourceId);
    return after;
  });
}
