import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { EVERYWHERE } from '#storefront/contract/regions.ts';
import {
  type TaxClass,
  type TaxRateRow,
  type TaxZone,
  type TaxZoneRegion,
  taxClassRecord,
  taxRateRecord,
  taxZoneRecord,
  taxZoneRegionRecord,
} from './record.ts';

const CLASSES = taxClassRecord.table;
const ZONES = taxZoneRecord.table;
const REGIONS = taxZoneRegionRecord.table;
const RATES = taxRateRecord.table;

/** The tax class, locked until the end of the transaction; null when unknown. */
export async function lockClass({ db }: Ctx, id: string): Promise<TaxClass | null> {
  const row: object | undefined = await db.knex(CLASSES).where({ id }).forUpdate().first();
  return row ? taxClassRecord.read(row) : null;
}

/** Throws a unique violation for a taken code. */
export async function insertClass({ db }: Ctx, one: TaxClass): Promise<void> {
  await db.knex(CLASSES).insert(taxClassRecord.write(one));
}

export async function updateClass({ db }: Ctx, one: TaxClass): Promise<void> {
  await db.knex(CLASSES).where({ id: one.id }).update(taxClassRecord.write(one));
}

/** Throws a foreign key violation while something is of the class. */
export async function deleteClass({ db }: Ctx, id: string): Promise<void> {
  await db.knex(CLASSES).where({ id }).delete();
}

/** The zone, locked until the end of the transaction with its regions and rates; null when unknown. */
export async function lockZone({ db }: Ctx, id: string): Promise<TaxZone | null> {
  const row: object | undefined = await db.knex(ZONES).where({ id }).forUpdate().first();
  return row ? taxZoneRecord.read(row) : null;
}

export async function insertZone({ db }: Ctx, zone: TaxZone): Promise<void> {
  await db.knex(ZONES).insert(taxZoneRecord.write(zone));
}

export async function updateZone({ db }: Ctx, zone: TaxZone): Promise<void> {
  await db.knex(ZONES).where({ id: zone.id }).update(taxZoneRecord.write(zone));
}

/** With its regions and rates. */
export async function deleteZone({ db }: Ctx, id: string): Promise<void> {
  await db.knex(ZONES).where({ id }).delete();
}

/** Gives a zone these regions in place of those that it has. */
export async function replaceRegions(
  { db }: Ctx,
  zoneId: string,
  regions: readonly TaxZoneRegion[],
): Promise<void> {
  await db.knex(REGIONS).where({ zone_id: zoneId }).delete();
  await db.knex(REGIONS).insert(regions.map((one) => taxZoneRegionRecord.write(one)));
}

export async function insertRate({ db }: Ctx, rate: TaxRateRow): Promise<void> {
  await db.knex(RATES).insert(taxRateRecord.write(rate));
}

export async function updateRate({ db }: Ctx, rate: TaxRateRow): Promise<void> {
  await db.knex(RATES).where({ id: rate.id }).update(taxRateRecord.write(rate));
}

export async function deleteRate({ db }: Ctx, id: string): Promise<void> {
  await db.knex(RATES).where({ id }).delete();
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
const ratesOf = statement<{ zoneId: string }, object>((q, p) =>
  q(RATES).where('zone_id', p('zoneId')).orderBy(['position', 'created_at', 'id']).select('*'),
);

/** Zones with a region in a country, and those that are everywhere; of each the regions that count there. */
export async function zonesIn(
  { db }: Ctx,
  country: string,
): Promise<(TaxZone & { regions: TaxZoneRegion[] })[]> {
  const zones = (await zonesNear.all(db, { country })).map(taxZoneRecord.read);
  if (zones.length === 0) return [];
  const regions = (await regionsNear.all(db, { country })).map(taxZoneRegionRecord.read);
  return zones.map((zone) => ({ ...zone, regions: regions.filter(({ zoneId }) => zoneId === zone.id) }));
}

/** The rates of a zone in their order, also those that do not hold now. */
export const ratesIn = async ({ db }: Ctx, zoneId: string): Promise<TaxRateRow[]> =>
  (await ratesOf.all(db, { zoneId })).map(taxRateRecord.read);
