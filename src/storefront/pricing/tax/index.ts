export { changeClass, createClass, getClass, removeClass } from './classes.ts';
export { taxClassCodes, taxClassRows, taxRateRows } from './queries.ts';
export { addRate, changeRate, getRate, removeRate } from './rates.ts';
export { ratesAt } from './rates-at.ts';
export { SHIPPING_CLASS, STANDARD_CLASS } from './record.ts';
export { storePlace, type Taxes, taxesAt, taxPlace } from './taxes.ts';
export { changeZone, createZone, getZone, removeZone } from './zones.ts';
