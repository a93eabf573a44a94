export { requireRefunder } from './desk.ts';
export { orderRows } from './queries.ts';
export { orderPath, orRefused } from './refused.ts';
export { StoreOrderSummaryView, storeOrderSummaryView } from './view.ts';
export { money, stateWords, toneOf } from './words.ts';
