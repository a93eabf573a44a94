export { addressRow, draftOf } from './draft.ts';
export { beforeCreate } from './hooked.ts';
export { isOwnOrder, ownOrder } from './own-order.ts';
export { placeOrder } from './place.ts';
export { type Problem, problemsOf, problemsOfCart } from './problems.ts';
export { payOrder, type RetryInput, requireAccepted, retry } from './retry.ts';
export { chooseMethod, type DeliverySent, writeDelivery } from './state.ts';
export type { Placed, PlaceInput, WaysOf } from './types.ts';
export { waysOf } from './ways.ts';
