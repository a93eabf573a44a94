import { change, defineEvents } from '#kernel/events.ts';
import {
  type TaxClass,
  type TaxRateRow,
  type TaxZone,
  taxClassRecord,
  taxRateRecord,
  taxZoneRecord,
} from './record.ts';

type ToldClass = Pick<TaxClass, 'code' | 'name'>;
/** With its regions in words, such as `US-CA`. */
type ToldZone = Pick<TaxZone, 'name' | 'priority'> & { readonly regions: readonly string[] };
type ToldRate = Pick<TaxRateRow, 'zoneId' | 'taxClassId' | 'name' | 'ratePpm' | 'compound'>;

export const taxClassEvents = defineEvents(
  'store',
  {
    'tax_class.created': change<ToldClass>(),
    'tax_class.updated': change<ToldClass>(),
    'tax_class.deleted': change<ToldClass>(),
  },
  { target: 'shop-tax-classes', record: taxClassRecord },
);

export const taxZoneEvents = defineEvents(
  'store',
  {
    'tax_zone.created': change<ToldZone>(),
    'tax_zone.updated': change<ToldZone>(),
    'tax_zone.deleted': change<ToldZone>(),
  },
  { target: 'shop-tax-zones', record: taxZoneRecord },
);

export const taxRateEvents = defineEvents(
  'store',
  {
    'tax_rate.created': change<ToldRate>(),
    'tax_rate.updated': change<ToldRate>(),
    'tax_rate.deleted': change<ToldRate>(),
  },
  { target: 'shop-tax-rates', record: taxRateRecord },
);
