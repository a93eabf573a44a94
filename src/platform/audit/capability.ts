import { capability } from '#kernel/capability.ts';
import { auditMetrics } from './metrics.ts';
import { auditRecord, auditSubjectRecord } from './record.ts';

/** Who changed what, in a log that shows every change of itself. */
export const audit = capability({
  name: 'audit',
  records: [auditRecord, auditSubjectRecord],
  metrics: [auditMetrics],
});
