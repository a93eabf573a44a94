import { change, defineEvents } from '#kernel/events.ts';
import {
  type ShippingClass,
  type ShippingMethod,
  type ShippingRate,
  type ShippingZone,
  shippingClassRecord,
  shippingMethodRecord,
  shippingZoneRecord,
} from './record.ts';

/** With its regions in words, such as `US-CA`. */
type ToldZone = Pick<ShippingZone, 'name' | 'position'> & { readonly regions: readonly string[] };
type ToldMethod = Pick<ShippingMethod, 'zoneId' | 'name' | 'kind' | 'active'>;
type ToldRates = Pick<ShippingMethod, 'name' | 'kind'> & {
  readonly rates: readonly Pick<ShippingRate, 'min' | 'max' | 'priceCents' | 'perUnitCents'>[];
};
type ToldClass = Pick<ShippingClass, 'name' | 'handlingCents'>;

export const shippingZoneEvents = defineEvents(
  'store',
  {
    'shipping_zone.created': change<ToldZone>(),
    'shipping_zone.updated': change<ToldZone>(),
    'shipping_zone.deleted': change<ToldZone>(),
  },
  { target: 'shop-shipping-zones', record: shippingZoneRecord },
);

export const shippingMethodEvents = defineEvents(
  'store',
  {
    'shipping_method.created': change<ToldMethod>(),
    'shipping_method.updated': change<ToldMethod>(),
    'shipping_method.deleted': change<ToldMethod>(),
    'shipping_method.rates_set': change<ToldRates>(),
  },
  { target: 'shop-shipping-methods', record: shippingMethodRecord },
);

export const shippingClassEvents = defineEvents(
  'store',
  {
    'shipping_class.created': change<ToldClass>(),
    'shipping_class.updated': change<ToldClass>(),
    'shipping_class.deleted': change<ToldClass>(),
  },
  { target: 'shop-shipping-classes', record: shippingClassRecord },
);
