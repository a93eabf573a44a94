import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { ZoneRegionView, zoneRegionView } from '#storefront/contract/region-view.ts';
import { methodsOfZones, ratesOfMethods, regionsOfZones } from './queries.ts';
import {
  METHOD_KINDS,
  type ShippingClass,
  type ShippingMethod,
  type ShippingRate,
  type ShippingZone,
} from './record.ts';

export const ShippingRateView = later(() =>
  z
    .object({
      id: z.string(),
      min: count(),
      max: count().nullable(),
      price_cents: count(),
      per_unit_cents: count(),
    })
    .meta({ id: 'ShippingRate' }),
);

export const shippingRateView = (rate: ShippingRate): z.output<typeof ShippingRateView> => ({
  id: rate.id,
  min: rate.min,
  max: rate.max,
  price_cents: rate.priceCents,
  per_unit_cents: rate.perUnitCents,
});

/** A shipping method with its rates. */
export const ShippingMethodView = later(() =>
  z
    .object({
      id: z.string(),
      zone_id: z.string(),
      tax_class_id: z.string(),
      name: z.string(),
      description: z.string().nullable(),
      carrier: z.string().nullable(),
      kind: z.enum(METHOD_KINDS),
      eta_min_days: count().nullable(),
      eta_max_days: count().nullable(),
      free_over_cents: count().nullable(),
      active: z.boolean(),
      position: count(),
      rates: z.array(ShippingRateView),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'ShippingMethod' }),
);

const methodView = (
  method: ShippingMethod,
  rates: ReadonlyMap<string, ShippingRate[]>,
): z.output<typeof ShippingMethodView> => ({
  id: method.id,
  zone_id: method.zoneId,
  tax_class_id: method.taxClassId,
  name: method.name,
  description: method.description,
  carrier: method.carrier,
  kind: method.kind,
  eta_min_days: method.etaMinDays,
  eta_max_days: method.etaMaxDays,
  free_over_cents: method.freeOverCents,
  active: method.active,
  position: method.position,
  rates: (rates.get(method.id) ?? []).map(shippingRateView),
  created_at: method.createdAt,
  updated_at: method.updatedAt,
});

const idsOf = (rows: readonly { readonly id: string }[]): string[] => rows.map(({ id }) => id);

/** Methods as staff see them: one question reads their rates. */
export async function shippingMethodViews(
  methods: readonly ShippingMethod[],
  ctx: Ctx,
): Promise<z.output<typeof ShippingMethodView>[]> {
  const rates = await ratesOfMethods(ctx, idsOf(methods));
  return methods.map((method) => methodView(method, rates));
}

/** A shipping zone with its regions and methods. */
export const ShippingZoneView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      position: count(),
      regions: z.array(ZoneRegionView),
      methods: z.array(ShippingMethodView),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'ShippingZone' }),
);

/** Zones as staff see them: three questions for all of a page. */
export async function shippingZoneViews(
  zones: readonly ShippingZone[],
  ctx: Ctx,
): Promise<z.output<typeof ShippingZoneView>[]> {
  const regions = await regionsOfZones(ctx, idsOf(zones));
  const methods = await methodsOfZones(ctx, idsOf(zones));
  const rates = await ratesOfMethods(ctx, idsOf([...methods.values()].flat()));
  return zones.map((zone) => ({
    id: zone.id,
    name: zone.name,
    position: zone.position,
    regions: (regions.get(zone.id) ?? []).map(zoneRegionView),
    methods: (methods.get(zone.id) ?? []).map((method) => methodView(method, rates)),
    created_at: zone.createdAt,
    updated_at: zone.updatedAt,
  }));
}

export const ShippingClassView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      handling_cents: count(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'ShippingClass' }),
);

export const shippingClassView = (one: ShippingClass): z.output<typeof ShippingClassView> => ({
  id: one.id,
  name: one.name,
  handling_cents: one.handlingCents,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});
