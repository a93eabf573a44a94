export { listsOfVariant } from './buyer/queries.ts';
export {
  type Added,
  acceptChanges,
  add,
  type CartFields,
  clear,
  emptyCart,
  get,
  remove,
  setQuantity,
  type Wanted,
  write,
  writeExisting,
} from './cart.ts';
export { type CartChange, changesOf, lineTitle } from './changes.ts';
export { attachGiftCard, type CodeResult, detachGiftCard, enterCode, removeCode } from './codes.ts';
export { type Estimate, estimate } from './estimate.ts';
export { lastOrdered } from './last-ordered.ts';
export {
  type Capped,
  type HeldCarts,
  holdCarts,
  type Merged,
  merge,
  moveCart,
  moveCarts,
} from './merge.ts';
export { markSession, type Owner, ownerOf } from './owner.ts';
export {
  type CartPrice,
  type Elsewhere,
  type PricedLine,
  priceCart,
  priceLines,
  type Terms,
  unitOf,
  usesOf,
} from './price.ts';
export {
  type CardOnSale,
  cardsOnSale,
  countUnits,
  type Goods,
  goodsOf,
  type Line,
  tiersOfVariant,
} from './queries.ts';
export {
  type Cart,
  type CartCode,
  cartRecord,
  MOST_NOTE,
} from './record.ts';
export { putAgain, type Reordered } from './reorder.ts';
export { claimCart, findCart, hasLines, lockCart, ownCart, updateCart } from './repository.ts';
