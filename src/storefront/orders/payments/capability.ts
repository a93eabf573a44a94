import { capability } from '#kernel/capability.ts';
import { paymentEndpoints } from './endpoints.store.ts';
import {
  expireOfflineOrders,
  expireUnplacedOrders,
  handleProcessorEvents,
  ingestPaymentSpool,
  syncPaymentsJob,
} from './jobs.ts';
import { paymentRecord, processorEventRecord, refundItemRecord, refundRecord } from './record.ts';
import { paymentSpoolMetrics, spoolChecks } from './spool.ts';

/** Money for orders, and money that goes back. */
export const shopPayments = capability({
  name: 'shop-payments',
  storeEndpoints: paymentEndpoints,
  records: [paymentRecord, refundRecord, refundItemRecord, processorEventRecord],
  jobs: [
    syncPaymentsJob,
    handleProcessorEvents,
    expireUnplacedOrders,
    expireOfflineOrders,
    ingestPaymentSpool,
  ],
  checks: spoolChecks,
  metrics: [paymentSpoolMetrics],
});
