export {
  mailCancelled,
  mailConfirmation,
  mailDelivered,
  mailPaymentLink,
  mailPaymentReceived,
  mailRefund,
  mailShipment,
  mailUpdated,
} from './send.ts';
