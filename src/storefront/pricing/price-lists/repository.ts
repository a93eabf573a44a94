import type { Ctx } from '#kernel/context.ts';
import { type Price, type PriceList, priceListRecord, priceRecord } from './record.ts';

const LISTS = priceListRecord.table;
const PRICES = priceRecord.table;

/** The price list, locked until the end of the transaction with its prices; null when unknown. */
export async function lockPriceList({ db }: Ctx, id: string): Promise<PriceList | null> {
  const row: object | undefined = await db.knex(LISTS).where({ id }).forUpdate().first();
  return row ? priceListRecord.read(row) : null;
}

export async function insertPriceList({ db }: Ctx, list: PriceList): Promise<void> {
  await db.knex(LISTS).insert(priceListRecord.write(list));
}

export async function updatePriceList({ db }: Ctx, list: PriceList): Promise<void> {
  await db.knex(LISTS).where({ id: list.id }).update(priceListRecord.write(list));
}

/** With its prices; throws a foreign key violation while a buyer has it. */
export async function deletePriceList({ db }: Ctx, id: string): Promise<void> {
  await db.knex(LISTS).where({ id }).delete();
}

/** Whether a price list has a price. */
export const hasPrices = async ({ db }: Ctx, priceListId: string): Promise<boolean> =>
  (await db.knex(PRICES).where({ price_list_id: priceListId }).first('id')) !== undefined;

/** The prices of a variant in a list, null for the public ones, the smallest quantity first. */
export async function pricesOf({ db }: Ctx, variantId: string, priceListId: string | null): Promise<Price[]> {
  const where = { variant_id: variantId, price_list_id: priceListId };
  const rows: object[] = await db.knex(PRICES).where(where).orderBy('min_quantity');
  return rows.map(priceRecord.read);
}

/** Throws a unique violation for a quantity that has a price. */
export async function insertPrice({ db }: Ctx, price: Price): Promise<void> {
  await db.knex(PRICES).insert(priceRecord.write(price));
}

/** Throws as `insertPrice` does. */
export async function updatePrice({ db }: Ctx, price: Price): Promise<void> {
  await db.knex(PRICES).where({ id: price.id }).update(priceRecord.write(price));
}

export async function deletePrice({ db }: Ctx, id: string): Promise<void> {
  await db.knex(PRICES).where({ id }).delete();
}
