export { isMailAddress } from './address.ts';
export { defineMail } from './define.ts';
export { mailSettings } from './local.ts';
export { passwordResetMail } from './mails.ts';
export { type Queued, queueMail } from './queue.ts';
export type { Recipient } from './render.ts';
export { type MailResult, mailHandler } from './sending/handler.ts';
export { isMailSent } from './sending/route.ts';
