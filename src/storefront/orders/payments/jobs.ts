import type { Job } from '#kernel/capability.ts';
import { handleWaiting, ingestReports } from './inbox.ts';
import { expireUnpaid, expireUnplaced, syncPayments } from './syncing.ts';

export const syncPaymentsJob: Job = {
  name: 'sync-payments',
  description: 'Checks open payments and refunds with their payment processors',
  everySeconds: 300,
  run: syncPayments,
};

export const handleProcessorEvents: Job = {
  name: 'handle-processor-events',
  description: 'Retries notifications of payment processors that could not be processed',
  everySeconds: 60,
  run: handleWaiting,
};

export const expireUnplacedOrders: Job = {
  name: 'expire-unplaced-orders',
  description:
    'Expires orders that were not paid in time and releases their reservations (order_payment_window_minutes)',
  everySeconds: 60,
  waitsAfterClockStep: true,
  run: expireUnplaced,
};

export const expireOfflineOrders: Job = {
  name: 'expire-offline-orders',
  description: 'Cancels offline orders that were not paid in time (offline_payment_days)',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expireUnpaid,
};

export const ingestPaymentSpool: Job = {
  name: 'ingest-payment-spool',
  description: 'Processes payment notifications that arrived while the database was unavailable',
  everySeconds: 10,
  // The spool is a folder of this machine: no other process may be able to read it.
  everyProcess: true,
  run: ingestReports,
};
