import { capability } from '#kernel/capability.ts';
import { integrityChecks } from './checks.ts';

export const integrity = capability({ name: 'integrity', checks: integrityChecks });
