import { capability } from '#kernel/capability.ts';
import { webhookChecks } from './checks/checks.ts';
import { purgeLogs } from './deliveries/purge.ts';
import { refreshSubscriptions } from './deliveries/subscriptions.ts';
import { webhookEvents } from './events.ts';
import { webhooksLocal } from './local.ts';
import { attemptRecord, deliveryRecord, webhookRecord } from './record.ts';

/** Webhooks of both services: who is told of events, and how what is told reaches them. */
export const webhooks = capability({
  ...webhooksLocal,
  events: [webhookEvents],
  jobs: [purgeLogs],
  checks: webhookChecks,
  records: [webhookRecord, deliveryRecord, attemptRecord],
  start: refreshSubscriptions,
});
