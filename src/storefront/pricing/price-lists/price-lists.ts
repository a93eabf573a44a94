import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { priceListEvents } from './events.ts';
import { priceListRows } from './queries.ts';
import type { PriceList } from './record.ts';
import * as repo from './repository.ts';
import {
  PriceListCreate,
  type PriceListCreateInput,
  PriceListUpdate,
  type PriceListUpdateInput,
} from './schemas.ts';

/** A price list. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<PriceList> =>
  (await priceListRows.find(ctx, id)) ?? missing(id);

export function missing(id: string): never {
  throw fail('NOT_FOUND', `price list ${id} does not exist`);
}

const toldOf = ({ name, kind, active }: PriceList) => ({ name, kind, active });

/**
 * Makes a price list.
 *
 * @throws AppError VALIDATION_ERROR, for another currency than the shop's, an end before the start, and an adjustment of
 *   a fixed list
 */
export async function create(ctx: Ctx, input: PriceListCreateInput): Promise<PriceList> {
  const sent = checkInput(PriceListCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const list = ruled(ctx, {
      id: ctx.newId(ids.priceList),
      name: sent.name,
      kind: sent.kind ?? 'fixed',
      adjustBps: sent.adjustBps ?? 0,
      currency: sent.currency ?? ctx.settings.get(currencyCode),
      startsAt: sent.startsAt ?? null,
      endsAt: sent.endsAt ?? null,
      active: sent.active ?? true,
      createdAt: now,
      updatedAt: now,
    });
    await repo.insertPriceList(ctx, list);
    await priceListEvents.tell(ctx, 'price_list.created', list.id, toldOf(list), { after: list });
    return list;
  });
}

/** What holds for every price list. @throws AppError VALIDATION_ERROR */
function ruled(ctx: Ctx, list: PriceList): PriceList {
  const { kind, adjustBps, currency, startsAt, endsAt } = list;
  const own = ctx.settings.get(currencyCode);
  if (currency !== own)
    throw invalidField('currency', `must be ${own}, the currency of the shop, not ${currency}`);
  if (startsAt !== null && endsAt !== null && endsAt <= startsAt)
    throw invalidField('ends_at', 'must be later than starts_at');
  if (kind === 'fixed' && adjustBps !== 0)
    throw invalidField(
      'adjust_bps',
      'is only for lists of the kind percent; a fixed list has its own prices',
    );
  return list;
}

/**
 * Changes a price list; what is not sent stays, null clears. A call that changes nothing writes nothing.
 *
 * @throws AppError as `create` does; NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, to make a list with prices a percentage
 */
export async function change(ctx: Ctx, id: string, input: PriceListUpdateInput): Promise<PriceList> {
  const sent = sentFields(checkInput(PriceListUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockPriceList(ctx, id)) ?? missing(id);
    // A list that becomes fixed again needs no zero beside it.
    const cleared = sent.kind === 'fixed' && sent.adjustBps === undefined ? { adjustBps: 0 } : {};
    const wanted = ruled(ctx, { ...before, ...cleared, ...sent });
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    if (wanted.kind === 'percent' && before.kind === 'fixed' && (await repo.hasPrices(ctx, id)))
      throw fail(
        'CONFLICT',
        `price list ${before.name} has prices, which lists of the kind percent cannot have; remove them first`,
        { details: { reason: 'INVALID_TRANSITION' } },
      );
    const after = { ...wanted, updatedAt: ctx.now() };
    await repo.updatePriceList(ctx, after);
    await priceListEvents.tell(ctx, 'price_list.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** Removes a price list with its prices. @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, while a buyer has it */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockPriceList(ctx, id)) ?? missing(id);
    await removeRow(ctx, before);
    await priceListEvents.tell(ctx, 'price_list.deleted', id, toldOf(before), { before });
  });
}

async function removeRow(ctx: Ctx, { id, name }: PriceList): Promise<void> {
  try {
    await repo.deletePriceList(ctx, id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    const message = `price list ${name} is used by a company or a customer group; assign another one there first`;
    throw fail('CONFLICT', message, { details: { reason: 'IN_USE' } });
  }
}
