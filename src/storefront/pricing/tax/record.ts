import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Parts per million: 88750 is 8.875 %, and nothing is taxed more than once over. */
export const MOST_PPM = 1_000_000;
export const MOST_PLACE = 10_000;

/** What is taxed alike (storefront-domain 4.14). */
export const taxClassRecord = record(
  'tax_classes',
  {
    id: column.id(ids.taxClass),
    name: column.text(100, 1),
    code: column.text(30, 1),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['code'] },
);
export type TaxClass = ValuesOf<typeof taxClassRecord>;

/** Where the same taxes are due. */
export const taxZoneRecord = record('tax_zones', {
  id: column.id(ids.taxZone),
  name: column.text(100, 1),
  /** Of two zones that describe a place as closely, that with the smaller number applies. */
  priority: column.integer(0, MOST_PLACE),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type TaxZone = ValuesOf<typeof taxZoneRecord>;

export const taxZoneRegionRecord = record('tax_zone_regions', {
  id: column.id(ids.taxZoneRegion),
  zoneId: column.id(ids.taxZone).references('tax_zones'),
  country: column.text(2, 1),
  state: column.text(10).nullable(),
  postalPattern: column.text(40).nullable(),
  createdAt: column.time(),
});
export type TaxZoneRegion = ValuesOf<typeof taxZoneRegionRecord>;

/** A tax of a zone on what is of a class. */
export const taxRateRecord = record('tax_rates', {
  id: column.id(ids.taxRate),
  zoneId: column.id(ids.taxZone).references('tax_zones'),
  taxClassId: column.id(ids.taxClass).references('tax_classes'),
  name: column.text(100, 1),
  ratePpm: column.integer(0, MOST_PPM),
  /** Methods of shipping of the class are taxed by it, too. */
  appliesToShipping: column.flag(),
  /** Taken on the net amount with the other rates. */
  compound: column.flag(),
  /** It holds from then on and before `validTo`. */
  validFrom: column.time().nullable(),
  validTo: column.time().nullable(),
  position: column.integer(0, MOST_PLACE),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type TaxRateRow = ValuesOf<typeof taxRateRecord>;

/** Fixed, because every installation has them: what products and methods of shipping are of unless they name another. */
export const STANDARD_CLASS = 'tcl_00000000000000000000000001';
export const SHIPPING_CLASS = 'tcl_00000000000000000000000005';
