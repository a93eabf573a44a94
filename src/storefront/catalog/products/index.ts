export type { Condition } from './change.ts';
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
export { isShown } from './publication.ts';
export { idsBySlug, relatedIds, shopProductRows, type Usage, usagesOf, variantRows } from './queries.ts';
export {
  normed,
  PRODUCT_TYPES,
  type Product,
  productMediaRecord,
  shopProductRecord,
  tagRecord,
  type Variant,
  variantRecord,
} from './record.ts';
export { listRelations, replaceRelations } from './relations.ts';
export { CATALOG_COUNTER, catalogChanged } from './repository.ts';
export {
  PlacedProducts,
  type ProductCreateInput,
  type ProductUpdateInput,
  type VariantCreateInput,
} from './schemas.ts';
export { bySlug, isGone, type ShelfRow, shelfRows } from './shop.ts';
export {
  addVariant,
  changeVariant,
  generateVariants,
  getVariant,
  markOrdered,
  removeVariant,
} from './variants.ts';
export type { VariantOf, Whole } from './whole.ts';
