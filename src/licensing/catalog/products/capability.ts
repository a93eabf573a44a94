import { capability } from '#kernel/capability.ts';
import { productEndpoints } from './endpoints.ts';
import { productEvents } from './events.ts';
import { productRecord } from './record.ts';
import { productResource } from './resource.ts';

export const products = capability({
  name: 'products',
  events: [productEvents],
  endpoints: productEndpoints,
  records: [productRecord],
  resources: [productResource],
});
