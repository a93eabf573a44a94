export { countingRefusals } from '../risk/index.ts';
export { cancel } from './cancel.ts';
export { cancelRest } from './cancel-rest.ts';
export { capture, voidPayment } from './capture.ts';
export { type Begun, begin, charge, confirm, hashOf, type Source, sync, type Ways } from './charge.ts';
export { giveBackHolds } from './ending.ts';
export { holdCards, type Share } from './gift-cards.ts';
export { giveUp } from './giving-up.ts';
export type { Cancel } from './hooked.ts';
export { handle, receive } from './inbox.ts';
export { OFFLINE_METHODS, offlineLabels, type Received, record } from './offline.ts';
export { place, restated } from './placing.ts';
export {
  DISPUTE_STATES,
  INBOX_STATES,
  OPEN_STATES,
  type Payment,
  type ProcessorEvent,
  paymentRecord,
  processorEventRecord,
  REFUND_TO,
  type Refund,
  type RefundItem,
  refundRecord,
} from './record.ts';
export { type ItemPart, itemPart } from './refund-parts.ts';
export { sendRefund } from './refund-sending.ts';
export { refundWay } from './refund-way.ts';
export { previewRefund, type RefundInput, refund, refundable, reserve } from './refunds.ts';
export { disputedPayment, findPayment, paymentsOf, refundItemsOf, refundsOf } from './repository.ts';
export { tellPaid } from './reviewing.ts';
export { paid, type Settlement, settle } from './settle.ts';
export { paymentSpool } from './spool.ts';
export { expireUnplaced, syncPayments } from './syncing.ts';
