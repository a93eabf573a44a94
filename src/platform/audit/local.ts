import type { LocalPart } from '#kernel/capability.ts';
import { auditRetention } from './settings.ts';

export { auditor } from './auditor.ts';

export const auditLocal = { name: 'audit', settings: [auditRetention] } satisfies LocalPart;
