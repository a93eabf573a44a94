export type { Candidate, Refusal } from './choice.ts';
export {
  type AppliedPromotion,
  type LinePrice,
  type Price,
  price,
  type ShippingPrice,
  type Totals,
} from './price.ts';
export { refundPart } from './refund.ts';
export type * from './types.ts';
