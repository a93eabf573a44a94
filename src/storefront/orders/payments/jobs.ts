import type { Job } from '#kernel/capability.ts';
import { handleWaiting, ingestReports } from './inbox.ts';
import { expireUnpaid, expireUnplaced, syncPayments } from './syncing.ts';

export const syncPaymentsJob: Job = {
  name: 'sync-payments',
  description: 'Asks payment processors about payments and refunds whose answer is open',
  everySeconds: 300,
  run: syncPayments,
};

export const handleProcessorEvents: Job = {
  name: 'handle-processor-events',
  description: 'Handles notifications of payment processors that could not be handled when they came',
  everySeconds: 60,
  run: handleWaiting,
};

export const expireUnplacedOrders: Job = {
  name: 'expire-unplaced-orders',
  description:
    'Ends orders that were not paid in time and gives back what they hold (order_payment_window_minutes)',
  everySeconds: 60,
  waitsAfterClockStep: true,
  run: expireUnplaced,
};

export const expireOfflineOrders: Job = {
  name: 'expire-offline-orders',
  description: 'Cancels orders to be paid later that nobody paid in their time (offline_payment_days)',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: expireUnpaid,
};

export const ingestPaymentSpool: Job = {
  name: 'ingest-payment-spool',
  description: 'Processes reports of payment processors that arrived while the database was away',
  everySeconds: 10,
  // The spool is a folder of this machine: no other process may be able to read it.
  everyProcess: true,
  run: ingestReports,
};
