export { PAY_ORDER } from './outdated.ts';
export {
  mailCancelled,
  mailConfirmation,
  mailDelivered,
  mailPaymentLink,
  mailPaymentReceived,
  mailRefund,
  mailShipment,
  mailUpdated,
  type RefundWay,
} from './send.ts';
