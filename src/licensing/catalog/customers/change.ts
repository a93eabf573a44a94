import { SYSTEM } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { fail } from '#licensing/contract/errors.ts';
import { get } from './customers.ts';
import { customerEvents } from './events.ts';
import { type Customer, customerRecord } from './record.ts';
import * as repo from './repository.ts';
import { CustomerUpdate, type CustomerUpdateInput } from './schemas.ts';

/**
 * Changes a customer; what is not sent stays, null and blanks clear the name.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR; CONFLICT when another customer has the address, or after an
 *   erasure; PRECONDITION_FAILED when it was changed since it was read
 */
export async function update(
  ctx: Ctx,
  idOrEmail: string,
  input: CustomerUpdateInput,
  { ifMatch }: Condition = {},
): Promise<Customer> {
  const sent = sentFields(checkInput(CustomerUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, idOrEmail);
    requireUnchanged(before.email, before.updatedAt, ifMatch);
    refuseErased(before);
    const merged = { ...before, ...sent, email: (sent.email ?? before.email).trim() };
    // As when a customer is made: a name that shows nothing is none, and a later one may fill it (D50).
    if (!merged.name?.trim()) merged.name = null;
    const changed = Object.keys(changesBetween(before, merged));
    if (changed.length === 0) return before;
    const after = { ...merged, updatedAt: ctx.now() };
    await storing(after.email, repo.update(ctx, after));
    await customerEvents.tell(ctx, 'CUSTOMER_UPDATED', after.id, { fields: changed }, { before, after });
    return after;
  });
}

/**
 * Locks two customers who are to become one, in the order of their ids, so that two at once cannot wait for each other.
 *
 * @returns the one that goes and the one that stays
 * @throws AppError CONFLICT when the one that stays was erased
 */
export async function lockForMerge(
  ctx: Ctx,
  fromId: string,
  intoId: string,
): Promise<{ source: Customer; target: Customer }> {
  requireUnconfined(ctx.actor, 'license_product');
  for (const id of [fromId, intoId].sort()) await repo.lock(ctx, id);
  const [source, target] = [await get(ctx, fromId), await get(ctx, intoId)];
  refuseErased(target);
  return { source, target };
}

/** Removes a locked customer whose licenses were given to another, and tells it of both. @param licenses how many */
export async function absorb(
  ctx: Ctx,
  { source, target }: { source: Customer; target: Customer },
  licenses: number,
): Promise<void> {
  await repo.remove(ctx, source.id);
  await customerEvents.tell(
    ctx,
    'CUSTOMER_MERGED',
    source.id,
    { into: target.id, licenses },
    { before: source },
  );
  await customerEvents.tell(ctx, 'CUSTOMER_MERGED', target.id, { from: source.id, licenses });
}

/**
 * Erases what identifies a customer: address, name, metadata, and the address in the timeline of the licenses, which
 * stay (licensing 4.2). Again: unchanged.
 *
 * @returns the customer as it is now, how many licenses it holds and how many lines of their timeline were cleaned
 * @throws AppError NOT_FOUND
 */
export async function erase(
  ctx: Ctx,
  idOrEmail: string,
): Promise<{ customer: Customer; licenses: number; events: number }> {
  return ctx.tx(async (ctx) => {
    const { id } = await get(ctx, idOrEmail);
    requireUnconfined(ctx.actor, 'license_product');
    // A cull that goes on at this moment has read the address: what it tells of it is cleaned, too.
    await repo.lockLicenses(ctx, id);
    const before = await lock(ctx, idOrEmail);
    const held = await repo.lockLicenses(ctx, before.id);
    const events = await repo.forgetAddress(ctx, held);
    if (before.anonymizedAt !== null) return { customer: before, licenses: held.length, events };
    const now = ctx.now();
    const customer: Customer = {
      ...customerRecord.erase(before),
      anonymizedAt: now,
      updatedAt: now,
    };
    await repo.update(ctx, customer);
    await forget(ctx, customer.id);
    await customerEvents.tell(
      ctx,
      'CUSTOMER_ERASED',
      customer.id,
      { licenses: held.length, events },
      { before, after: customer },
    );
    return { customer, licenses: held.length, events };
  });
}

/** What the audit log says of a customer, and of those who became this one, is unreadable from now on. */
async function forget(ctx: Ctx, id: string): Promise<void> {
  const audit = await import('#platform/audit/index.ts');
  await audit.forgetPerson(ctx, id);
  const merged = { q: id, filters: { action: 'CUSTOMER_MERGED' } };
  for await (const page of audit.stream(ctx.with({ actor: SYSTEM }), merged))
    for (const { target, details } of page) if (details.into === id) await forget(ctx, target.id);
}

async function lock(ctx: Ctx, idOrEmail: string): Promise<Customer> {
  const { id } = await get(ctx, idOrEmail);
  await repo.lock(ctx, id);
  return get(ctx, id);
}

/** An erased customer is nobody: nothing may be given to it. @throws AppError CONFLICT */
export function refuseErased({ id, anonymizedAt }: Customer): void {
  if (anonymizedAt === null) return;
  throw fail('CONFLICT', `customer ${id} was erased and can no longer be used`, {
    details: { hint: 'appctl customer create --email NEW, then appctl license transfer' },
  });
}

/** The index decides whether an address is free, so that two at once cannot both find it so. */
async function storing(address: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `another customer already has the address ${address}`, {
      details: { reason: 'DUPLICATE', hint: `appctl customer merge THIS ${address}` },
    });
  }
}
