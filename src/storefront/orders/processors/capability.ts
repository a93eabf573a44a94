import { capability } from '#kernel/capability.ts';
import { processorChecks } from './checks.ts';
import { processorEndpoints } from './endpoints.store.ts';

/** How payments reach those who take them: each processor behind one contract (storefront-domain section 11). */
export const shopProcessors = capability({
  name: 'shop-processors',
  storeEndpoints: processorEndpoints,
  checks: processorChecks,
});
