export {
  mailCancelled,
  mailConfirmation,
  mailPaymentLink,
  mailPaymentReceived,
  mailRefund,
  mailUpdated,
} from './send.ts';
