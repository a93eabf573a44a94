export { type Correction, correct } from './corrections.ts';
export { inventoryEvents } from './events.ts';
export { availableOf, thresholdOf } from './level.ts';
export { adjust, changeRules, openLevels, variantsChanged } from './levels.ts';
export { levelsOf, levelsOfProduct, productsWithLow } from './queries.ts';
export {
  type Level,
  levelRecord,
  type Movement,
  movementRecord,
  type Reservation,
  type StockState,
} from './record.ts';
export { isProductReserved, isReserved, STOCK_COUNTER } from './repository.ts';
export {
  consume,
  expire,
  putBack,
  release,
  reserve,
  takeOut,
  type Wanted,
} from './reservations.ts';
export { type StockInput, stockShape } from './schemas.ts';
export { tellLowNow } from './settle.ts';
export {
  type Count,
  countsOf,
  type ProductStock,
  type ShownStock,
  shownStock,
  stockVersion,
} from './shop/shown.ts';
