import { capability } from '#kernel/capability.ts';
import { outboxMetrics } from '#kernel/outbox/outbox-metrics.ts';
import { certificateChecks } from './certificate-checks.ts';
import { configChecks } from './config-checks.ts';
import { databaseChecks } from './database-checks.ts';
import { metricsEndpoint } from './endpoints.ts';
import { checkEvents } from './events.ts';
import { checksJob } from './known-findings.ts';
import { launchChecks } from './launch-checks.ts';
import { machineChecks } from './machine-checks.ts';
import { processChecks } from './process-checks.ts';
import { checkResultRecord } from './record.ts';
import { serviceChecks } from './service-checks.ts';

/** What `appctl doctor` asks about machine, configuration, database and the platform's own parts, and Prometheus too. */
export const health = capability({
  name: 'health',
  records: [checkResultRecord],
  jobs: [checksJob],
  events: [checkEvents],
  adminEndpoints: [metricsEndpoint],
  metrics: [outboxMetrics],
  checks: [
    ...machineChecks,
    ...processChecks,
    ...configChecks,
    ...databaseChecks,
    ...serviceChecks,
    ...certificateChecks,
    ...launchChecks,
  ],
});
