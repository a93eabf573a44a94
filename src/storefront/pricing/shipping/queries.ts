import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { variantRecord } from '#storefront/catalog/products/index.ts';
import type { Region } from '#storefront/contract/regions.ts';
import {
  METHOD_KINDS,
  type ShippingClass,
  type ShippingMethod,
  type ShippingRate,
  type ShippingZone,
  shippingClassRecord,
  shippingMethodRecord,
  shippingRateRecord,
  shippingZoneRecord,
  shippingZoneRegionRecord,
} from './record.ts';

export const shippingZoneRows = selection<ShippingZone>({
  from: ({ db }) => db.knex(shippingZoneRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shippingZoneRecord.read,
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { position: 'position', name: 'name', created: 'created_at', updated: 'updated_at' },
  initial: 'position',
});

export const shippingMethodRows = selection<ShippingMethod>({
  from: ({ db }) => db.knex(shippingMethodRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shippingMethodRecord.read,
  filters: {
    zoneId: filter.lookup({ label: 'Shipping zone', column: 'zone_id', resource: 'shop-shipping-zones' }),
    kind: filter.choice(METHOD_KINDS, { label: 'Kind', column: 'kind' }),
    active: filter.flag({ label: 'Active', column: 'active' }),
  },
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { position: 'position', name: 'name', created: 'created_at', updated: 'updated_at' },
  initial: 'position',
});

export const shippingClassRows = selection<ShippingClass>({
  from: ({ db }) => db.knex(shippingClassRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: shippingClassRecord.read,
  search: { placeholder: 'Name', by: ['name'] },
  sorts: { name: 'name', handling: 'handling_cents', created: 'created_at' },
  initial: 'name',
});

/** The regions of some zones, by zone. */
export async function regionsOfZones(
  { db }: Ctx,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, Region[]>> {
  const rows: object[] = await db
    .knex(shippingZoneRegionRecord.table)
    .whereIn('zone_id', [...zoneIds])
    .orderBy('id');
  return Map.groupBy(rows.map(shippingZoneRegionRecord.read), ({ zoneId }) => zoneId);
}

/** The methods of some zones in their order, by zone. */
export async function methodsOfZones(
  { db }: Ctx,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, ShippingMethod[]>> {
  const rows: object[] = await db
    .knex(shippingMethodRecord.table)
    .whereIn('zone_id', [...zoneIds])
    .orderBy(['position', 'created_at', 'id']);
  return Map.groupBy(rows.map(shippingMethodRecord.read), ({ zoneId }) => zoneId);
}

/** The rates of some methods, the smallest first, by method. */
export async function ratesOfMethods(
  { db }: Ctx,
  methodIds: readonly string[],
): Promise<ReadonlyMap<string, ShippingRate[]>> {
  const rows: object[] = await db
    .knex(shippingRateRecord.table)
    .whereIn('method_id', [...methodIds])
    .orderBy('min');
  return Map.groupBy(rows.map(shippingRateRecord.read), ({ methodId }) => methodId);
}

/** A variant as parcels see it. */
export interface Packed {
  readonly id: string;
  readonly priceCents: number;
  readonly weightG: number;
  readonly requiresShipping: boolean;
  readonly handlingCents: number;
}

/** Variants by id, with what handling of each costs; those that do not exist are left out. */
export async function packedVariants(
  { db }: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Packed>> {
  const rows: (object & { handling_cents: number | string | null })[] = await db
    .knex({ v: variantRecord.table })
    .leftJoin({ c: shippingClassRecord.table }, 'c.id', 'v.shipping_class_id')
    .whereIn('v.id', [...new Set(ids)])
    .whereNull('v.deleted_at')
    .select('v.*', 'c.handling_cents');
  return new Map(
    rows.map((row) => {
      const { id, priceCents, weightG, requiresShipping } = variantRecord.read(row);
      const handlingCents = Number(row.handling_cents ?? 0);
      return [id, { id, priceCents, weightG, requiresShipping, handlingCents }];
    }),
  );
}

/** The names of all classes, by id, the oldest first: there are few. */
export async function shippingClassNames({ db }: Ctx): Promise<ReadonlyMap<string, string>> {
  const rows: { name: string; id: string }[] = await db
    .knex(shippingClassRecord.table)
    .orderBy(['created_at', 'id'])
    .select('name', 'id');
  return new Map(rows.map(({ name, id }) => [id, name]));
}

/** The countries that something is shipped to: those of zones with a method that is active; `*` is every country. */
export async function countriesServed({ db }: Ctx): Promise<ReadonlySet<string>> {
  const rows: { country: string }[] = await db
    .knex({ r: shippingZoneRegionRecord.table })
    .whereIn('r.zone_id', db.knex(shippingMethodRecord.table).whereRaw('active = TRUE').select('zone_id'))
    .distinct('r.country');
  return new Set(rows.map(({ country }) => country));
}

/** Methods that staff can choose, in the order of the shop. */
export async function listMethods({ db }: Ctx): Promise<ShippingMethod[]> {
  const rows: object[] = await db
    .knex(shippingMethodRecord.table)
    .where({ active: true })
    .orderBy(['position', 'id'])
    .limit(200);
  return rows.map(shippingMethodRecord.read);
}
