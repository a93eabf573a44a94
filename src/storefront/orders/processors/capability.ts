import { capability } from '#kernel/capability.ts';
import { processorChecks } from './checks.ts';

/** How payments reach those who take them: each processor behind one contract (storefront-domain section 11). */
export const shopProcessors = capability({ name: 'shop-processors', checks: processorChecks });
