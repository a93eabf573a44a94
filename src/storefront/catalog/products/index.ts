export { type Condition, lock as lockProduct } from './change.ts';
export { duplicate } from './duplicate.ts';
export { shopProductEvents } from './events.ts';
export {
  addOption,
  addValue,
  changeOption,
  changeValue,
  getOption,
  removeOption,
  removeValue,
} from './options.ts';
export { arrangePictures, attachPictures, detachPicture } from './pictures.ts';
export { placedProducts } from './places/pages.ts';
export { type PlaceKind, placeProducts, productsIn } from './places/places.ts';
export { productCategoryRecord } from './places/record.ts';
export { archive, change, create, get, getWhole, publish, remove } from './products.ts';
export { idsBySlug, shopProductRows, variantRows, wholesOf } from './queries.ts';
export {
  normed,
  PRODUCT_TYPES,
  type Product,
  productMediaRecord,
  RELATION_KINDS,
  shopProductRecord,
  tagRecord,
  type Variant,
  variantRecord,
} from './record.ts';
export { listRelations, replaceRelations } from './relations.ts';
export { type OptionWanted, replaceVariants, type VariantsWanted } from './replace-variants.ts';
export { CATALOG_COUNTER, catalogChanged, relatedIds, relationsFrom } from './repository.ts';
export { isShown } from './schedule.ts';
export {
  MOST_PLACED,
  MOST_RELATED,
  PlacedProducts,
  ProductCreate,
  type ProductCreateInput,
  type ProductUpdateInput,
  VariantCreate,
  type VariantCreateInput,
} from './schemas.ts';
export { bySlug, isGone, type ShelfRow, shelfRows } from './shop.ts';
export { type Usage, usagesOf, type ValueShown, valuesShownBy } from './uses/queries.ts';
export {
  addVariant,
  changeVariant,
  generateVariants,
  getVariant,
  markOrdered,
  removeVariant,
  repricing,
} from './variants.ts';
export type { VariantOf, Whole } from './whole.ts';
