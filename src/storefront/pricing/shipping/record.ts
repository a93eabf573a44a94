import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const METHOD_KINDS = ['flat', 'weight', 'price', 'item', 'free', 'pickup'] as const;
export const MOST_CENTS = 100_000_000_000;
export const MOST_PLACE = 10_000;
export const MOST_DAYS = 365;

/** Where the same methods of shipping are offered (storefront-domain 4.14). */
export const shippingZoneRecord = record('shipping_zones', {
  id: column.id(ids.shippingZone),
  name: column.text(100, 1),
  /** Of two zones that describe a place as closely, that with the smaller number applies. */
  position: column.integer(0, MOST_PLACE),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type ShippingZone = ValuesOf<typeof shippingZoneRecord>;

export const shippingZoneRegionRecord = record('shipping_zone_regions', {
  id: column.id(ids.shippingZoneRegion),
  zoneId: column.id(ids.shippingZone).references('shipping_zones'),
  country: column.text(2, 1),
  state: column.text(10).nullable(),
  postalPattern: column.text(40).nullable(),
  createdAt: column.time(),
});
export type ShippingZoneRegion = ValuesOf<typeof shippingZoneRegionRecord>;

/** A way of shipping in a zone. */
export const shippingMethodRecord = record('shipping_methods', {
  id: column.id(ids.shippingMethod),
  zoneId: column.id(ids.shippingZone).references('shipping_zones'),
  taxClassId: column.id(ids.taxClass).references('tax_classes'),
  name: column.text(100, 1),
  description: column.text(500).nullable(),
  carrier: column.text(100).nullable(),
  /** What its price depends on. */
  kind: column.choice(METHOD_KINDS),
  etaMinDays: column.integer(0, MOST_DAYS).nullable(),
  etaMaxDays: column.integer(0, MOST_DAYS).nullable(),
  /** From this merchandise on it costs nothing; null: it always costs. */
  freeOverCents: column.integer(0, MOST_CENTS).nullable(),
  active: column.flag(),
  position: column.integer(0, MOST_PLACE),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type ShippingMethod = ValuesOf<typeof shippingMethodRecord>;

/** What a method costs in a range of grams, of minor units, or of items, whatever its kind counts. */
export const shippingRateRecord = record('shipping_rates', {
  id: column.id(ids.shippingRate),
  methodId: column.id(ids.shippingMethod).references('shipping_methods'),
  /** Inclusive. */
  min: column.integer(0, MOST_CENTS),
  /** Exclusive; null: without an end. */
  max: column.integer(0, MOST_CENTS).nullable(),
  priceCents: column.integer(0, MOST_CENTS),
  /** For each started 1000 g, or item, above `min`. */
  perUnitCents: column.integer(0, MOST_CENTS),
  createdAt: column.time(),
});
export type ShippingRate = ValuesOf<typeof shippingRateRecord>;

/** What costs alike to handle, such as what is bulky. */
export const shippingClassRecord = record('shipping_classes', {
  id: column.id(ids.shippingClass),
  name: column.text(100, 1),
  handlingCents: column.integer(0, MOST_CENTS),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type ShippingClass = ValuesOf<typeof shippingClassRecord>;
