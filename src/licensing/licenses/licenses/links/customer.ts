import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { mergeTrials } from '../../activations/index.ts';
import { expireAmong } from '../lock.ts';
import * as repo from './repository.ts';

/**
 * Gives all licenses of one customer to another and removes the first: two addresses of one person (licensing 4.2).
 *
 * @returns the customer that stays, and how many licenses came to it
 * @throws AppError NOT_FOUND; CONFLICT when both are one, or the target was erased
 */
export async function mergeCustomers(
  ctx: Ctx,
  from: string,
  into: string,
): Promise<{ customer: customers.Customer; licenses: number }> {
  return ctx.tx(async (ctx) => {
    const [{ id: fromId }, { id: intoId }] = [await customers.get(ctx, from), await customers.get(ctx, into)];
    if (fromId === intoId) throw fail('CONFLICT', `${from} and ${into} are the same customer`);
    // Licenses before what they name: who works on one holds it first.
    // What expired was the source's: its events name it.
    await expireAmong(ctx, await customers.lockLicenses(ctx, fromId));
    const both = await customers.lockForMerge(ctx, fromId, intoId);
    const licenses = await repo.moveToCustomer(ctx, fromId, intoId);
    await mergeTrials(ctx, fromId, intoId);
    await customers.absorb(ctx, both, licenses);
    return { customer: both.target, licenses };
  });
}
