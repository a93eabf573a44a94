export {
  mailCancelled,
  mailConfirmation,
  mailPaymentLink,
  mailPaymentReceived,
  mailRefund,
  mailShipment,
  mailUpdated,
} from './send.ts';
