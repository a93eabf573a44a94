import { capability } from '#kernel/capability.ts';
import { shopChecks } from './checks.ts';

/** Whether the shop's money, stock and holds add up. */
export const shopIntegrity = capability({ name: 'shop-integrity', checks: shopChecks });
