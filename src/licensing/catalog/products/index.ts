export { productEvents } from './events.ts';
export { namedProducts, productFilter } from './product-filter.ts';
export {
  create,
  find,
  get,
  idOfSlug,
  list,
  listPublic,
  type PickableProduct,
  pickable,
  remove,
  setStatus,
  update,
} from './products.ts';
export { type Product, productRecord } from './record.ts';
export {
  linkPolicy,
  lockPolicyLink,
  type PolicyLink,
  raiseReleases,
  releasesVersionOf,
} from './repository.ts';
export type { ProductCreateInput, ProductUpdateInput } from './schemas.ts';
