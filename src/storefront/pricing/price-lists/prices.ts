import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { getVariant, repricing, variantRows } from '#storefront/catalog/products/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import type { PriceTier } from '#storefront/contract/unit-price.ts';
import { priceEvents } from './events.ts';
import { get, missing } from './price-lists.ts';
import { type PriceOf, priceRows, variantOfSku } from './queries.ts';
import type { Price, PriceList } from './record.ts';
import * as repo from './repository.ts';
import {
  MOST_TIERS,
  PriceCreate,
  type PriceCreateInput,
  PriceUpdate,
  type PriceUpdateInput,
  Tiers,
  type TiersInput,
} from './schemas.ts';

/** A price of a list. @throws AppError NOT_FOUND */
export const getPrice = async (ctx: Ctx, id: string): Promise<PriceOf> =>
  (await priceRows.find(ctx, id)) ?? unknown(id);

function unknown(id: string): never {
  throw fail('NOT_FOUND', `price ${id} does not exist`);
}

/**
 * Adds a price to a list.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown variant; CONFLICT, reason DUPLICATE, for a quantity that has
 *   one, reason INVALID_TRANSITION for a list of the kind percent
 */
export async function addPrice(ctx: Ctx, listId: string, input: PriceCreateInput): Promise<PriceOf> {
  return ctx.tx(async (ctx) => {
    const { price, before } = await placed(ctx, listId, input);
    if (before) throw duplicate(price.minQuantity);
    await store(ctx, null, price);
    return getPrice(ctx, price.id);
  });
}

/** Sets a price of a list, whether there is one or not. @throws AppError as `addPrice` does, but for DUPLICATE */
export async function setPrice(ctx: Ctx, listId: string, input: PriceCreateInput): Promise<PriceOf> {
  return ctx.tx(async (ctx) => {
    const { price, before } = await placed(ctx, listId, input);
    const { unitCents, updatedAt } = price;
    await store(ctx, before, before ? { ...before, unitCents, updatedAt } : price);
    return getPrice(ctx, before?.id ?? price.id);
  });
}

/** The price as it is wanted, and the one that its list has for this quantity; the list is locked then. */
async function placed(ctx: Ctx, listId: string, input: PriceCreateInput) {
  const { sku, variantId: named, minQuantity = 1, unitCents } = checkInput(PriceCreate, input);
  await lockFixed(ctx, listId);
  const variantId = sku === undefined ? await known(ctx, named ?? '') : await variantOfSku(ctx, sku);
  if (variantId === null)
    throw sku === undefined
      ? invalidField('variant_id', `variant ${named} does not exist`)
      : invalidField('sku', `variant with the SKU ${sku} does not exist`);
  const own = await repo.pricesOf(ctx, variantId, listId);
  const before = own.find((one) => one.minQuantity === minQuantity) ?? null;
  if (!before && own.length >= MOST_TIERS)
    throw invalidField('min_quantity', `a variant has at most ${MOST_TIERS} prices in a list`);
  return { price: made(ctx, listId, variantId, { minQuantity, unitCents }), before };
}

/** The id of a variant that is not removed; null when there is none. */
const known = async (ctx: Ctx, id: string): Promise<string | null> =>
  (await variantRows.find(ctx, id))?.id ?? null;

/** @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION */
async function lockFixed(ctx: Ctx, id: string): Promise<PriceList> {
  const list = (await repo.lockPriceList(ctx, id)) ?? missing(id);
  if (list.kind === 'fixed') return list;
  const message = `price list ${list.name} changes all prices by a percentage; create a fixed one to price single variants`;
  throw fail('CONFLICT', message, { details: { reason: 'INVALID_TRANSITION' } });
}

function made(ctx: Ctx, priceListId: string | null, variantId: string, tier: PriceTier): Price {
  const now = ctx.now();
  const { minQuantity, unitCents } = tier;
  const id = ctx.newId(ids.priceListPrice);
  return { id, priceListId, variantId, minQuantity, unitCents, createdAt: now, updatedAt: now };
}

const duplicate = (quantity: number) =>
  fail('CONFLICT', `the variant has a price from ${quantity} on in this list; change that one`, {
    details: { reason: 'DUPLICATE' },
  });

const toldOf = ({ priceListId, variantId, minQuantity, unitCents }: Price) => ({
  priceListId,
  variantId,
  minQuantity,
  unitCents,
});

/** @returns whether that changed anything */
async function store(ctx: Ctx, before: Price | null, after: Price): Promise<boolean> {
  if (before?.unitCents === after.unitCents && before.minQuantity === after.minQuantity) return false;
  await (before ? repo.updatePrice(ctx, after) : insert(ctx, after));
  await priceEvents.tell(ctx, 'price.set', after.id, toldOf(after), { before, after });
  return true;
}

const insert = (ctx: Ctx, price: Price): Promise<void> =>
  referring('variant_id', 'the variant was deleted in the meantime; leave it out', () =>
    repo.insertPrice(ctx, price),
  );

async function drop(ctx: Ctx, before: Price): Promise<void> {
  await repo.deletePrice(ctx, before.id);
  await priceEvents.tell(ctx, 'price.removed', before.id, toldOf(before), { before });
}

/** @throws AppError NOT_FOUND; CONFLICT, reason DUPLICATE */
export async function changePrice(ctx: Ctx, id: string, input: PriceUpdateInput): Promise<PriceOf> {
  const sent = sentFields(checkInput(PriceUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lockPrice(ctx, id);
    const after = { ...before, ...sent, updatedAt: ctx.now() };
    try {
      await store(ctx, before, after);
    } catch (error) {
      throw isUniqueViolation(error) ? duplicate(after.minQuantity) : error;
    }
    return getPrice(ctx, id);
  });
}

/** @throws AppError NOT_FOUND */
export async function removePrice(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => drop(ctx, await lockPrice(ctx, id)));
}

/** The price; its list is locked. */
async function lockPrice(ctx: Ctx, id: string): Promise<Price> {
  const { priceListId, variantId } = await getPrice(ctx, id);
  await repo.lockPriceList(ctx, priceListId ?? '');
  return (await repo.pricesOf(ctx, variantId, priceListId)).find((one) => one.id === id) ?? unknown(id);
}

/** What a variant costs from which quantity on: in a list, or for everybody. @throws AppError NOT_FOUND */
export async function listTiers(ctx: Ctx, variantId: string, priceListId?: string): Promise<PriceTier[]> {
  await getVariant(ctx, variantId);
  if (priceListId !== undefined) await get(ctx, priceListId);
  return repo.pricesOf(ctx, variantId, priceListId ?? null);
}

/**
 * Sets the quantity breaks of a variant, in place of those that it has: in a list, or for everybody.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a quantity that is named twice; CONFLICT, reason INVALID_TRANSITION, for
 *   a list of the kind percent
 */
export async function replaceTiers(ctx: Ctx, variantId: string, input: TiersInput): Promise<PriceTier[]> {
  const { tiers, priceListId = null } = checkInput(Tiers, input);
  for (const [at, { minQuantity }] of tiers.entries())
    if (tiers.findIndex((one) => one.minQuantity === minQuantity) !== at)
      throw invalidField(`tiers.${at}.min_quantity`, `the quantity ${minQuantity} appears twice`);
  const replace = async (ctx: Ctx): Promise<boolean> => replaced(ctx, variantId, priceListId, tiers);
  if (priceListId === null) await repricing(ctx, variantId, replace);
  else
    await ctx.tx(async (ctx) => {
      await lockFixed(ctx, priceListId);
      await getVariant(ctx, variantId);
      await replace(ctx);
    });
  return repo.pricesOf(ctx, variantId, priceListId);
}

/** Gives a new variant the quantity breaks that another one has for everybody. */
export async function copyTiers(ctx: Ctx, fromVariantId: string, toVariantId: string): Promise<void> {
  const tiers = await repo.pricesOf(ctx, fromVariantId, null);
  for (const tier of tiers) await store(ctx, null, made(ctx, null, toVariantId, tier));
}

async function replaced(
  ctx: Ctx,
  variantId: string,
  priceListId: string | null,
  tiers: readonly PriceTier[],
): Promise<boolean> {
  const had = await repo.pricesOf(ctx, variantId, priceListId);
  const wanted = new Map(tiers.map((tier) => [tier.minQuantity, tier]));
  const gone = had.filter(({ minQuantity }) => !wanted.has(minQuantity));
  for (const price of gone) await drop(ctx, price);
  let isChanged = gone.length > 0;
  for (const tier of tiers) {
    const before = had.find(({ minQuantity }) => minQuantity === tier.minQuantity) ?? null;
    const after = before
      ? { ...before, unitCents: tier.unitCents, updatedAt: ctx.now() }
      : made(ctx, priceListId, variantId, tier);
    if (await store(ctx, before, after)) isChanged = true;
  }
  return isChanged;
}
