export { isMailAddress } from './address.ts';
export { defineMail } from './define.ts';
export { mailEndpoints } from './endpoints.ts';
export {
  alertsEmail,
  alertsPing,
  alertsWebhook,
  alertsWebhookSecret,
  mailSettings,
  staffAddresses,
} from './local.ts';
export { passwordResetMail } from './mails.ts';
export { EMAIL_SETTINGS, type MailOutcome, mailOutcome, mailVerdict } from './outcome.ts';
export { failedEmails, failingEmails } from './queries.ts';
export { type Queued, queueMail } from './queue.ts';
export type { Recipient } from './render.ts';
export { type MailResult, mailHandler } from './sending/handler.ts';
export { isMailSent } from './sending/route.ts';
export { escapeHtml } from './template.ts';
export { sendTest, type Tested } from './test-mail.ts';
