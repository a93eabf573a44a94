import { capability } from '#kernel/capability.ts';
import { sampleEndpoints } from './endpoints.store.ts';
import { samplePages } from './pages.ts';
import { sampleRecord } from './record.ts';

/** A shop that can be looked at before there is anything to sell. */
export const shopSample = capability({
  name: 'shop-sample',
  storeEndpoints: sampleEndpoints,
  pages: samplePages,
  records: [sampleRecord],
});
