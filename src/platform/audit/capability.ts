import { capability } from '#kernel/capability.ts';
import { auditChecks } from './checks.ts';
import { auditEvents } from './events.ts';
import { auditLocal } from './local.ts';
import { auditMetrics } from './metrics.ts';
import { auditRecord, auditSubjectRecord } from './record.ts';
import { auditResource } from './resource.ts';
import { purgeAudit } from './retention.ts';

/** Who changed what, in a log that shows every change of itself. */
export const audit = capability({
  ...auditLocal,
  records: [auditRecord, auditSubjectRecord],
  events: [auditEvents],
  metrics: [auditMetrics],
  jobs: [purgeAudit],
  checks: auditChecks,
  resources: [auditResource],
});
