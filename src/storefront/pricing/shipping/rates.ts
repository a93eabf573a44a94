import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { shippingMethodEvents } from './events.ts';
import { getMethod, missingMethod } from './methods.ts';
import { hasUnits, isWithoutRates } from './price-of.ts';
import type { ShippingMethod, ShippingRate } from './record.ts';
import * as repo from './repository.ts';
import { Rates, type RatesInput } from './schemas.ts';

/** What a method costs in which range, the smallest first. @throws AppError NOT_FOUND */
export async function listRates(ctx: Ctx, methodId: string): Promise<ShippingRate[]> {
  await getMethod(ctx, methodId);
  return repo.ratesOf(ctx, methodId);
}

type Row = Pick<ShippingRate, 'min' | 'max' | 'priceCents' | 'perUnitCents'>;

const rowOf = ({ min, max, priceCents, perUnitCents }: Row): Row => ({ min, max, priceCents, perUnitCents });

/**
 * Sets the rates of a method, in place of those that it has. A call that changes nothing writes nothing.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for ranges that overlap, and what the kind of the method does not know;
 *   CONFLICT, reason INVALID_TRANSITION, for a method that costs nothing
 */
export async function replaceRates(ctx: Ctx, methodId: string, input: RatesInput): Promise<ShippingRate[]> {
  const sent = checkInput(Rates, input).rates.map((one) => ({
    min: one.min ?? 0,
    max: one.max ?? null,
    priceCents: one.priceCents,
    perUnitCents: one.perUnitCents ?? 0,
  }));
  return ctx.tx(async (ctx) => {
    const method = (await repo.lockMethod(ctx, methodId)) ?? missingMethod(methodId);
    requireRight(method, sent);
    const rows = sent.toSorted((one, other) => one.min - other.min);
    const had = await repo.ratesOf(ctx, methodId);
    if (JSON.stringify(had.map(rowOf)) === JSON.stringify(rows)) return had;
    const createdAt = ctx.now();
    const rates = rows.map((row) => ({ ...row, id: ctx.newId(ids.shippingRate), methodId, createdAt }));
    await repo.replaceRates(ctx, methodId, rates);
    const { name, kind } = method;
    await shippingMethodEvents.tell(ctx, 'shipping_method.rates_set', methodId, { name, kind, rates: rows });
    return rates;
  });
}

/** What holds for the rates of a method. */
function requireRight({ name, kind }: ShippingMethod, rows: readonly Row[]): void {
  if (isWithoutRates(kind) && rows.length > 0)
    throw fail(
      'CONFLICT',
      `shipping method ${name} has the kind ${kind}, which costs nothing and has no rates`,
      {
        details: { reason: 'INVALID_TRANSITION' },
      },
    );
  for (const [at, { min, max, perUnitCents }] of rows.entries()) {
    if (kind === 'flat' && (at > 0 || min > 0 || max !== null))
      throw invalidField(`rates.${at}`, 'the kind flat has one rate, without min and max');
    if (max !== null && max <= min)
      throw invalidField(`rates.${at}.max`, `must be greater than min, which is ${min}`);
    if (perUnitCents > 0 && !hasUnits(kind))
      throw invalidField(`rates.${at}.per_unit_cents`, 'is for the kinds weight and item');
    const other = rows.findIndex((one, place) => place < at && isSharing(one, { min, max }));
    if (other >= 0)
      throw invalidField(`rates.${at}.min`, `the range overlaps with that of rate ${other + 1}`);
  }
}

const isSharing = (one: Pick<Row, 'min' | 'max'>, other: Pick<Row, 'min' | 'max'>): boolean =>
  (one.max === null || other.min < one.max) && (other.max === null || one.min < other.max);
