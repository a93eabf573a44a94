export { mailCancelled, mailConfirmation, mailPaymentReceived, mailRefund } from './send.ts';
