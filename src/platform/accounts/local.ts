import type { LocalPart } from '#kernel/capability.ts';
import { minPasswordLength } from './settings.ts';

export const accountsLocal = { name: 'accounts', settings: [minPasswordLength] } satisfies LocalPart;
