import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { EVERYWHERE } from '#storefront/contract/regions.ts';
import {
  type ShippingClass,
  type ShippingMethod,
  type ShippingRate,
  type ShippingZone,
  type ShippingZoneRegion,
  shippingClassRecord,
  shippingMethodRecord,
  shippingRateRecord,
  shippingZoneRecord,
  shippingZoneRegionRecord,
} from './record.ts';

const ZONES = shippingZoneRecord.table;
const REGIONS = shippingZoneRegionRecord.table;
const METHODS = shippingMethodRecord.table;
const RATES = shippingRateRecord.table;
const CLASSES = shippingClassRecord.table;

/** The zone, locked until the end of the transaction with its regions and methods; null when unknown. */
export async function lockZone({ db }: Ctx, id: string): Promise<ShippingZone | null> {
  const row: object | undefined = await db.knex(ZONES).where({ id }).forUpdate().first();
  return row ? shippingZoneRecord.read(row) : null;
}

export async function insertZone({ db }: Ctx, zone: ShippingZone): Promise<void> {
  await db.knex(ZONES).insert(shippingZoneRecord.write(zone));
}

export async function updateZone({ db }: Ctx, zone: ShippingZone): Promise<void> {
  await db.knex(ZONES).where({ id: zone.id }).update(shippingZoneRecord.write(zone));
}

/** With its regions, methods and their rates. */
export async function deleteZone({ db }: Ctx, id: string): Promise<void> {
  await db.knex(ZONES).where({ id }).delete();
}

/** Gives a zone these regions in place of those that it has. */
export async function replaceRegions(
  { db }: Ctx,
  zoneId: string,
  regions: readonly ShippingZoneRegion[],
): Promise<void> {
  await db.knex(REGIONS).where({ zone_id: zoneId }).delete();
  await db.knex(REGIONS).insert(regions.map((one) => shippingZoneRegionRecord.write(one)));
}

/** The method, locked until the end of the transaction with its rates; null when unknown. */
export async function lockMethod({ db }: Ctx, id: string): Promise<ShippingMethod | null> {
  const row: object | undefined = await db.knex(METHODS).where({ id }).forUpdate().first();
  return row ? shippingMethodRecord.read(row) : null;
}

/** How many methods a zone has, and the place of the last one. */
export async function methodsOf({ db }: Ctx, zoneId: string): Promise<{ count: number; last: number }> {
  const rows: { position: number }[] = await db
    .knex(METHODS)
    .where({ zone_id: zoneId })
    .orderBy('position')
    .select('position');
  return { count: rows.length, last: rows.at(-1)?.position ?? -1 };
}

export async function insertMethod({ db }: Ctx, method: ShippingMethod): Promise<void> {
  await db.knex(METHODS).insert(shippingMethodRecord.write(method));
}

export async function updateMethod({ db }: Ctx, method: ShippingMethod): Promise<void> {
  await db.knex(METHODS).where({ id: method.id }).update(shippingMethodRecord.write(method));
}

/** With its rates. */
export async function deleteMethod({ db }: Ctx, id: string): Promise<void> {
  await db.knex(METHODS).where({ id }).delete();
}

/** The rates of a method, the smallest first. */
export async function ratesOf({ db }: Ctx, methodId: string): Promise<ShippingRate[]> {
  const rows: object[] = await db.knex(RATES).where({ method_id: methodId }).orderBy('min');
  return rows.map(shippingRateRecord.read);
}

/** Gives a method these rates in place of those that it has. */
export async function replaceRates(
  { db }: Ctx,
  methodId: string,
  rates: readonly ShippingRate[],
): Promise<void> {
  await db.knex(RATES).where({ method_id: methodId }).delete();
  if (rates.length > 0) await db.knex(RATES).insert(rates.map((one) => shippingRateRecord.write(one)));
}

/** The class, locked until the end of the transaction; null when unknown. */
export async function lockClass({ db }: Ctx, id: string): Promise<ShippingClass | null> {
  const row: object | undefined = await db.knex(CLASSES).where({ id }).forUpdate().first();
  return row ? shippingClassRecord.read(row) : null;
}

export async function insertClass({ db }: Ctx, one: ShippingClass): Promise<void> {
  await db.knex(CLASSES).insert(shippingClassRecord.write(one));
}

export async function updateClass({ db }: Ctx, one: ShippingClass): Promise<void> {
  await db.knex(CLASSES).where({ id: one.id }).update(shippingClassRecord.write(one));
}

/** Throws a foreign key violation while a variant is of the class. */
export async function deleteClass({ db }: Ctx, id: string): Promise<void> {
  await db.knex(CLASSES).where({ id }).delete();
}

const zonesNear = statement<{ country: string }, object>((q, p) =>
  q(ZONES)
    .whereIn(
      'id',
      q(REGIONS)
        .where((any) => any.where('country', p('country')).orWhere('country', EVERYWHERE))
        .select('zone_id'),
    )
    .select('*'),
);
const regionsNear = statement<{ country: string }, object>((q, p) =>
  q(REGIONS)
    .where((any) => any.where('country', p('country')).orWhere('country', EVERYWHERE))
    .select('*'),
);
const offered = statement<{ zoneId: string }, object>((q, p) =>
  q(METHODS)
    .where('zone_id', p('zoneId'))
    .whereRaw('active = TRUE')
    .orderBy(['position', 'created_at', 'id'])
    .select('*'),
);
const offeredRates = statement<{ zoneId: string }, object>((q, p) =>
  q({ r: RATES })
    .join({ m: METHODS }, 'm.id', 'r.method_id')
    .where('m.zone_id', p('zoneId'))
    .orderBy('r.min')
    .select('r.*'),
);

/** Zones with a region in a country, and those that are everywhere; of each the regions that count there. */
export async function zonesIn(
  { db }: Ctx,
  country: string,
): Promise<(ShippingZone & { regions: ShippingZoneRegion[] })[]> {
  const zones = (await zonesNear.all(db, { country })).map(shippingZoneRecord.read);
  if (zones.length === 0) return [];
  const regions = (await regionsNear.all(db, { country })).map(shippingZoneRegionRecord.read);
  return zones.map((zone) => ({ ...zone, regions: regions.filter(({ zoneId }) => zoneId === zone.id) }));
}

/** The active methods of a zone in their order, each with its rates. */
export async function offeredIn(
  { db }: Ctx,
  zoneId: string,
): Promise<{ method: ShippingMethod; rates: ShippingRate[] }[]> {
  const methods = (await offered.all(db, { zoneId })).map(shippingMethodRecord.read);
  const rates = (await offeredRates.all(db, { zoneId })).map(shippingRateRecord.read);
  return methods.map((method) => ({
    method,
    rates: rates.filter(({ methodId }) => methodId === method.id),
  }));
}
