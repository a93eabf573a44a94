import { capability } from '#kernel/capability.ts';
import { inboxAdminEndpoints } from './admin-endpoints.ts';
import { inboxChecks } from './checks.ts';
import { inboxEndpoints } from './endpoints.ts';
import { inboxEvents } from './events/told.ts';
import { retryInbox } from './processing/retry.ts';
import { claimRecord, inboundEventRecord, inboundRefusalRecord } from './record.ts';
import { inboundEventResource } from './resource.ts';
import { ingestSpool } from './spool.ts';
import { inboxMetrics, spoolMetrics } from './watch/metrics.ts';

/** What payment processors report, and the licenses that come of it (licensing 2.9). */
export const inbox = capability({
  name: 'inbox',
  events: [inboxEvents],
  records: [inboundEventRecord, inboundRefusalRecord, claimRecord],
  endpoints: inboxEndpoints,
  adminEndpoints: inboxAdminEndpoints,
  resources: [inboundEventResource],
  checks: inboxChecks,
  metrics: [inboxMetrics, spoolMetrics],
  jobs: [
    {
      name: 'inbound-retry',
      description: 'Processes purchases that could not be processed right away',
      everySeconds: 15,
      run: retryInbox,
    },
    {
      name: 'spool-ingest',
      description: 'Processes purchase events that arrived while the database was unavailable',
      everySeconds: 10,
      // The spool is a folder of this machine: no other process may be able to read it.
      everyProcess: true,
      run: ingestSpool,
    },
  ],
});
