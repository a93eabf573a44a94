import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ZoneRegionView, zoneRegionView } from '#storefront/contract/region-view.ts';
import { classesById, ratesOfZones, regionsOfZones } from './queries.ts';
import type { TaxClass, TaxRateRow, TaxZone } from './record.ts';

export const TaxClassView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      code: z.string(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'TaxClass' }),
);

export const taxClassView = (one: TaxClass): z.output<typeof TaxClassView> => ({
  id: one.id,
  name: one.name,
  code: one.code,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});

/** A tax rate as staff see it. */
export const TaxRateView = later(() =>
  z
    .object({
      id: z.string(),
      zone_id: z.string(),
      tax_class_id: z.string(),
      /** Code of the class. */
      tax_class: z.string(),
      name: z.string(),
      rate_ppm: count(),
      applies_to_shipping: z.boolean(),
      compound: z.boolean(),
      valid_from: instant().nullable(),
      valid_to: instant().nullable(),
      position: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'TaxRate' }),
);

const rateView = (
  rate: TaxRateRow,
  classes: ReadonlyMap<string, TaxClass>,
): z.output<typeof TaxRateView> => ({
  id: rate.id,
  zone_id: rate.zoneId,
  tax_class_id: rate.taxClassId,
  tax_class: classes.get(rate.taxClassId)?.code ?? '',
  name: rate.name,
  rate_ppm: rate.ratePpm,
  applies_to_shipping: rate.appliesToShipping,
  compound: rate.compound,
  valid_from: rate.validFrom,
  valid_to: rate.validTo,
  position: rate.position,
  created_at: rate.createdAt,
  updated_at: rate.updatedAt,
});

const classesOf = (ctx: Ctx, rates: readonly TaxRateRow[]) =>
  classesById(
    ctx,
    rates.map(({ taxClassId }) => taxClassId),
  );

/** Rates as staff see them: one question names their classes. */
export async function taxRateViews(
  rates: readonly TaxRateRow[],
  ctx: Ctx,
): Promise<z.output<typeof TaxRateView>[]> {
  const classes = await classesOf(ctx, rates);
  return rates.map((rate) => rateView(rate, classes));
}

/** A tax zone with its regions and rates. */
export const TaxZoneView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      priority: count(),
      regions: z.array(ZoneRegionView),
      rates: z.array(TaxRateView),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'TaxZone' }),
);

/** Zones as staff see them: three questions for all of a page. */
export async function taxZoneViews(
  zones: readonly TaxZone[],
  ctx: Ctx,
): Promise<z.output<typeof TaxZoneView>[]> {
  const ids = zones.map(({ id }) => id);
  const [regions, rates] = [await regionsOfZones(ctx, ids), await ratesOfZones(ctx, ids)];
  const classes = await classesOf(ctx, [...rates.values()].flat());
  return zones.map((zone) => ({
    id: zone.id,
    name: zone.name,
    priority: zone.priority,
    regions: (regions.get(zone.id) ?? []).map(zoneRegionView),
    rates: (rates.get(zone.id) ?? []).map((rate) => rateView(rate, classes)),
    created_at: zone.createdAt,
    updated_at: zone.updatedAt,
  }));
}
