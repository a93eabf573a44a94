import type { Ctx } from '#kernel/context.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { taxRateEvents } from './events.ts';
import { taxClassRows, taxRateRows } from './queries.ts';
import { overlap } from './rates-at.ts';
import type { TaxRateRow } from './record.ts';
import * as repo from './repository.ts';
import { TaxRateCreate, type TaxRateCreateInput, TaxRateUpdate, type TaxRateUpdateInput } from './schemas.ts';
import { missingZone } from './zones.ts';

/** Rates of one zone. */
const MOST_RATES = 200;

/** A tax rate. @throws AppError NOT_FOUND */
export const getRate = async (ctx: Ctx, id: string): Promise<TaxRateRow> =>
  (await taxRateRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `tax rate ${id} does not exist`);
}

const toldOf = ({ zoneId, taxClassId, name, ratePpm, compound }: TaxRateRow) => ({
  zoneId,
  taxClassId,
  name,
  ratePpm,
  compound,
});

/**
 * Adds a rate to a tax zone.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown class and an end before the start; CONFLICT, reason
 *   DUPLICATE, for a second compound rate of a class at the same time
 */
export async function addRate(ctx: Ctx, zoneId: string, input: TaxRateCreateInput): Promise<TaxRateRow> {
  const sent = checkInput(TaxRateCreate, input);
  return ctx.tx(async (ctx) => {
    await lockZone(ctx, zoneId);
    const others = await repo.ratesIn(ctx, zoneId);
    if (others.length >= MOST_RATES)
      throw invalidField('name', `a tax zone has at most ${MOST_RATES} rates; remove one first`);
    const now = ctx.now();
    const rate: TaxRateRow = {
      id: ctx.newId(ids.taxRate),
      zoneId,
      taxClassId: sent.taxClassId,
      name: sent.name,
      ratePpm: sent.ratePpm,
      appliesToShipping: sent.appliesToShipping ?? false,
      compound: sent.compound ?? false,
      validFrom: sent.validFrom ?? null,
      validTo: sent.validTo ?? null,
      position: sent.position ?? (others.at(-1)?.position ?? -1) + 1,
      createdAt: now,
      updatedAt: now,
    };
    await requireRight(ctx, rate, others);
    await repo.insertRate(ctx, rate);
    await taxRateEvents.tell(ctx, 'tax_rate.created', rate.id, toldOf(rate), { after: rate });
    return rate;
  });
}

const lockZone = async (ctx: Ctx, id: string) => (await repo.lockZone(ctx, id)) ?? missingZone(id);

/** What holds for every rate; its zone is locked. */
async function requireRight(ctx: Ctx, rate: TaxRateRow, others: readonly TaxRateRow[]): Promise<void> {
  const { validFrom, validTo, taxClassId } = rate;
  if (validFrom !== null && validTo !== null && validTo <= validFrom)
    throw invalidField('valid_to', 'must be later than valid_from');
  if ((await taxClassRows.find(ctx, taxClassId)) === null)
    throw invalidField('tax_class_id', `tax class ${taxClassId} does not exist`);
  const rival = rate.compound && others.find((one) => isRival(one, rate));
  if (rival)
    throw fail(
      'CONFLICT',
      `${rival.name} is already the compound rate of this class; only one is possible at a time, so end it first`,
      { details: { reason: 'DUPLICATE' } },
    );
}

const isRival = (one: TaxRateRow, rate: TaxRateRow): boolean =>
  one.id !== rate.id && one.compound && one.taxClassId === rate.taxClassId && overlap(one, rate);

/**
 * Changes a tax rate; what is not sent stays, null clears.
 *
 * @throws AppError as `addRate` does
 */
export async function changeRate(ctx: Ctx, id: string, input: TaxRateUpdateInput): Promise<TaxRateRow> {
  const sent = sentFields(checkInput(TaxRateUpdate, input));
  return ctx.tx(async (ctx) => {
    const { before, others } = await lockRate(ctx, id);
    const wanted = { ...before, ...sent };
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    const after = { ...wanted, updatedAt: ctx.now() };
    await requireRight(ctx, after, others);
    await repo.updateRate(ctx, after);
    await taxRateEvents.tell(ctx, 'tax_rate.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** The rate and all of its zone, which is locked. */
async function lockRate(ctx: Ctx, id: string) {
  const { zoneId } = await getRate(ctx, id);
  await repo.lockZone(ctx, zoneId);
  const others = await repo.ratesIn(ctx, zoneId);
  return { before: others.find((one) => one.id === id) ?? missing(id), others };
}

/** @throws AppError NOT_FOUND */
export async function removeRate(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const { before } = await lockRate(ctx, id);
    await repo.deleteRate(ctx, id);
    await taxRateEvents.tell(ctx, 'tax_rate.deleted', id, toldOf(before), { before });
  });
}
