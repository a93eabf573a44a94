import { capability } from '#kernel/capability.ts';
import { productEndpoints } from './endpoints.ts';
import { productEvents } from './events.ts';
import { productRecord } from './record.ts';

export { productEvents } from './events.ts';
export { create, find, get, idOfSlug, list, listPublic, remove, setStatus, update } from './products.ts';
export { type Product, productRecord } from './record.ts';
export { linkPolicy, lockPolicyLink, type PolicyLink, raiseReleases } from './repository.ts';
export type { ProductCreateInput, ProductUpdateInput } from './schemas.ts';

export const products = capability({
  name: 'products',
  events: [productEvents],
  endpoints: productEndpoints,
  records: [productRecord],
});
