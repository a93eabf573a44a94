import type { Ctx } from '#kernel/context.ts';
import { changeCustomer, lockCustomer } from './change.ts';
import { type Customer, shopCustomerRecord } from './record.ts';
import * as repo from './repository.ts';

/** Two customers of a merge, locked: the lower id first, so that two merges cannot wait for each other. */
export async function lockBoth(
  ctx: Ctx,
  { targetId, sourceId }: { readonly targetId: string; readonly sourceId: string },
): Promise<{ target: Customer; source: Customer }> {
  const found = new Map<string, Customer>();
  for (const id of [targetId, sourceId].toSorted()) found.set(id, await lockCustomer(ctx, id));
  return { target: found.get(targetId) as Customer, source: found.get(sourceId) as Customer };
}

/** What is left of two customers: what the target does not say, the source does; consent to marketing is not inherited. */
export const united = (target: Customer, source: Customer) => ({
  firstName: target.firstName ?? source.firstName,
  lastName: target.lastName ?? source.lastName,
  phone: target.phone ?? source.phone,
  locale: target.locale ?? source.locale,
  birthday: target.birthday ?? source.birthday,
  taxId: target.taxId ?? source.taxId,
  tags: [...new Set([...target.tags, ...source.tags])].slice(0, 50),
});

/** Makes one customer of two who are locked: the notes move, and of the source nothing but a pointer is left. */
export async function absorb(ctx: Ctx, target: Customer, source: Customer): Promise<Customer> {
  await repo.moveNotes(ctx, source.id, target.id);
  const {
    updatedAt: _at,
    createdAt: _since,
    id: _id,
    orderCount,
    spentCents,
    ...erased
  } = shopCustomerRecord.erase(source);
  await changeCustomer(
    ctx,
    source,
    { ...erased, status: 'anonymised', acceptsMarketing: false, tags: [], mergedIntoId: target.id },
    { isPart: true },
  );
  await repo.retire(ctx, source.id, target.id);
  await repo.count(ctx, target.id, orderCount, spentCents);
  const counted = await lockCustomer(ctx, target.id);
  return changeCustomer(ctx, counted, united(target, source), { isPart: true });
}
