import { gauges } from '#kernel/metric.ts';
import { readHead } from './repository.ts';

/** A number that falls is a log that was cut or replaced. */
export const auditMetrics = gauges(
  { appctl_audit_sequence: { help: 'Number of the last entry of the audit log; it never falls' } },
  async (ctx) => ({ appctl_audit_sequence: [{ value: (await readHead(ctx)).seq }] }),
);
