import { gauges } from '#kernel/metric.ts';
import { readHead } from './repository.ts';

/** A number that falls is a log that was cut or replaced. */
export const auditMetrics = gauges(
  { appctl_audit_sequence: { help: 'Number of the last audit log entry; never decreases' } },
  async (ctx) => ({ appctl_audit_sequence: [{ value: (await readHead(ctx)).seq }] }),
);
