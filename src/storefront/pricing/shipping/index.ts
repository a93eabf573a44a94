export { changeClass, createClass, getClass, removeClass } from './classes.ts';
export { addMethod, changeMethod, getMethod, removeMethod } from './methods.ts';
export { type Line, type Offer, offers, parcelOf } from './offers.ts';
export { type Parcel, priceOf } from './price-of.ts';
export { countriesServed, listMethods, shippingClassNames } from './queries.ts';
export { listRates, replaceRates } from './rates.ts';
export type { ShippingMethod, ShippingRate } from './record.ts';
export { changeZone, createZone, getZone, removeZone } from './zones.ts';
