import { z } from 'zod';
import type { LocalPart } from '#kernel/capability.ts';
import { setting } from '#kernel/settings.ts';

export const auditRetention = setting({
  key: 'audit_retention_days',
  group: 'security',
  description: 'Days to keep audit log entries',
  schema: () => z.int('must be a whole number of days').min(30).max(36_500),
  default: 730,
});

export { auditor } from './auditor.ts';

export const auditLocal = { name: 'audit', settings: [auditRetention] } satisfies LocalPart;
