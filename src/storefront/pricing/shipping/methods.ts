import type { Ctx } from '#kernel/context.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { SHIPPING_CLASS, taxClassRows } from '../tax/index.ts';
import { shippingMethodEvents } from './events.ts';
import { isWithoutRates } from './price-of.ts';
import { shippingMethodRows } from './queries.ts';
import type { ShippingMethod } from './record.ts';
import * as repo from './repository.ts';
import {
  ShippingMethodCreate,
  type ShippingMethodCreateInput,
  ShippingMethodUpdate,
  type ShippingMethodUpdateInput,
} from './schemas.ts';
import { missingZone } from './zones.ts';

/** Methods of one zone. */
const MOST_METHODS = 50;

/** A shipping method. @throws AppError NOT_FOUND */
export const getMethod = async (ctx: Ctx, id: string): Promise<ShippingMethod> =>
  (await shippingMethodRows.find(ctx, id)) ?? missingMethod(id);

export function missingMethod(id: string): never {
  throw fail('NOT_FOUND', `shipping method ${id} does not exist`);
}

const toldOf = ({ zoneId, name, kind, active }: ShippingMethod) => ({ zoneId, name, kind, active });

/**
 * Adds a method to a shipping zone. It is offered once it has a rate; `free` and `pickup` need none.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown tax class and days in the wrong order
 */
export async function addMethod(
  ctx: Ctx,
  zoneId: string,
  input: ShippingMethodCreateInput,
): Promise<ShippingMethod> {
  const sent = checkInput(ShippingMethodCreate, input);
  return ctx.tx(async (ctx) => {
    if ((await repo.lockZone(ctx, zoneId)) === null) missingZone(zoneId);
    const { count, last } = await repo.methodsOf(ctx, zoneId);
    if (count >= MOST_METHODS)
      throw invalidField('name', `a shipping zone has at most ${MOST_METHODS} methods; remove one first`);
    const now = ctx.now();
    const method: ShippingMethod = {
      id: ctx.newId(ids.shippingMethod),
      zoneId,
      taxClassId: sent.taxClassId ?? SHIPPING_CLASS,
      name: sent.name,
      description: sent.description || null,
      carrier: sent.carrier || null,
      kind: sent.kind,
      etaMinDays: sent.etaMinDays ?? null,
      etaMaxDays: sent.etaMaxDays ?? null,
      freeOverCents: sent.freeOverCents ?? null,
      active: sent.active ?? true,
      position: sent.position ?? last + 1,
      createdAt: now,
      updatedAt: now,
    };
    await requireRight(ctx, method);
    await repo.insertMethod(ctx, method);
    await shippingMethodEvents.tell(ctx, 'shipping_method.created', method.id, toldOf(method), {
      after: method,
    });
    return method;
  });
}

/** What holds for every method. */
async function requireRight(ctx: Ctx, method: ShippingMethod): Promise<void> {
  const { etaMinDays, etaMaxDays, taxClassId } = method;
  if (etaMinDays !== null && etaMaxDays !== null && etaMaxDays < etaMinDays)
    throw invalidField('eta_max_days', `must be at least eta_min_days, which is ${etaMinDays}`);
  if ((await taxClassRows.find(ctx, taxClassId)) === null)
    throw invalidField('tax_class_id', `tax class ${taxClassId} does not exist`);
}

/**
 * Changes a shipping method; what is not sent stays, null clears.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT, reason INVALID_TRANSITION, for another kind while it has rates
 */
export async function changeMethod(
  ctx: Ctx,
  id: string,
  input: ShippingMethodUpdateInput,
): Promise<ShippingMethod> {
  const sent = sentFields(checkInput(ShippingMethodUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockMethod(ctx, id)) ?? missingMethod(id);
    const wanted = { ...before, ...sent };
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    const after = { ...wanted, updatedAt: ctx.now() };
    await requireRight(ctx, after);
    if (after.kind !== before.kind) await requireNoRates(ctx, before);
    await repo.updateMethod(ctx, after);
    await shippingMethodEvents.tell(ctx, 'shipping_method.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** Ranges of grams are no ranges of amounts. */
async function requireNoRates(ctx: Ctx, { id, name, kind }: ShippingMethod): Promise<void> {
  if (isWithoutRates(kind) || (await repo.ratesOf(ctx, id)).length === 0) return;
  throw fail('CONFLICT', `shipping method ${name} has rates of the kind ${kind}; remove them first`, {
    details: { reason: 'INVALID_TRANSITION' },
  });
}

/** Removes a shipping method with its rates. @throws AppError NOT_FOUND */
export async function removeMethod(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockMethod(ctx, id)) ?? missingMethod(id);
    await repo.deleteMethod(ctx, id);
    await shippingMethodEvents.tell(ctx, 'shipping_method.deleted', id, toldOf(before), { before });
  });
}
