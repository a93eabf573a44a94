import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { shopProductRecord, variantRecord } from '#storefront/catalog/products/index.ts';
import type { Region } from '#storefront/contract/regions.ts';
import {
  type TaxClass,
  type TaxRateRow,
  type TaxZone,
  taxClassRecord,
  taxRateRecord,
  taxZoneRecord,
  taxZoneRegionRecord,
} from './record.ts';

export const taxClassRows = selection<TaxClass>({
  from: ({ db }) => db.knex(taxClassRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: taxClassRecord.read,
  search: { placeholder: 'Name or code', by: ['name', 'code'] },
  sorts: { name: 'name', code: 'code', created: 'created_at' },
  initial: 'name',
});

export const taxZoneRows = selection<TaxZone>({
  from: ({ db }) => db.knex(taxZoneRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: taxZoneRecord.read,
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { name: 'name', priority: 'priority', created: 'created_at', updated: 'updated_at' },
  initial: 'name',
});

export const taxRateRows = selection<TaxRateRow>({
  from: ({ db }) => db.knex(taxRateRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: taxRateRecord.read,
  filters: {
    zoneId: filter.lookup({ label: 'Tax zone', column: 'zone_id', resource: 'shop-tax-zones' }),
    taxClassId: filter.lookup({
      label: 'Tax class',
      column: 'tax_class_id',
      resource: 'shop-tax-classes',
    }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { position: 'position', name: 'name', rate: 'rate_ppm', created: 'created_at' },
  initial: 'position',
});

/** The regions of some zones, by zone. */
export async function regionsOfZones(
  { db }: Ctx,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, Region[]>> {
  const rows: object[] = await db
    .knex(taxZoneRegionRecord.table)
    .whereIn('zone_id', [...zoneIds])
    .orderBy('id');
  const all = rows.map(taxZoneRegionRecord.read);
  return Map.groupBy(all, ({ zoneId }) => zoneId);
}

/** The rates of some zones in their order, by zone. */
export async function ratesOfZones(
  { db }: Ctx,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, TaxRateRow[]>> {
  const rows: object[] = await db
    .knex(taxRateRecord.table)
    .whereIn('zone_id', [...zoneIds])
    .orderBy(['position', 'created_at', 'id']);
  return Map.groupBy(rows.map(taxRateRecord.read), ({ zoneId }) => zoneId);
}

/** Names and codes of some classes, by id. */
export async function classesById(
  { db }: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaxClass>> {
  const rows: object[] = await db.knex(taxClassRecord.table).whereIn('id', [...new Set(ids)]);
  return new Map(rows.map(taxClassRecord.read).map((one) => [one.id, one]));
}

/** The codes of all classes, by id: there are few. */
export async function taxClassCodes({ db }: Ctx): Promise<ReadonlyMap<string, string>> {
  const rows: { code: string; id: string }[] = await db.knex(taxClassRecord.table).select('code', 'id');
  return new Map(rows.map(({ code, id }) => [id, code]));
}

/** A variant as tax sees it. */
export interface TaxedVariant {
  readonly productId: string;
  readonly priceCents: number;
  readonly isTaxable: boolean;
  readonly taxClassId: string | null;
}

/** Variants by id, with what their products say of tax; those that do not exist are left out. */
export async function taxedVariants(
  { db }: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, TaxedVariant>> {
  const rows: {
    id: string;
    product_id: string;
    price_cents: number;
    is_taxable: unknown;
    tax_class_id: string | null;
  }[] = await db
    .knex({ v: variantRecord.table })
    .join({ p: shopProductRecord.table }, 'p.id', 'v.product_id')
    .whereIn('v.id', [...new Set(ids)])
    .whereNull('v.deleted_at')
    .select('v.id', 'v.product_id', 'v.price_cents', 'p.is_taxable', 'p.tax_class_id');
  return new Map(
    rows.map((row) => [
      row.id,
      {
        productId: row.product_id,
        priceCents: Number(row.price_cents),
        isTaxable: readFlag(row.is_taxable),
        taxClassId: row.tax_class_id,
      },
    ]),
  );
}
