import { capability } from '#kernel/capability.ts';
import { limitChecks } from './checks.ts';

/** Tells staff whom the rate limits refuse, and what raises them (D15). */
export const limitRefusals = capability({ name: 'limit-refusals', checks: limitChecks });
