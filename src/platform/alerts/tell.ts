import type { Ctx } from '#kernel/context.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { alertsEmail, alertsWebhook } from '../mail/index.ts';
import { failedJobMail, tellStaff } from '../staff-mail/index.ts';
import { alertBegunMail, alertOverMail } from './mails.ts';
import type { Alert } from './record.ts';

export const ALERT_KIND = 'alert';
/** Between the id of an alert and what is told of it. */
export const MARK = ':';

/** Of a job that failed, and of a webhook, whose disabling is told by the one who disables it. */
const JOB_FAILED = /^jobs\.last-run:(.+)$/;
const WEBHOOK_DISABLED = 'webhooks.disabled:';

export type Word = 'begun' | 'over';

/** Who is told by staff emails of its own need not be told twice. @returns key of an email and its subject */
function mailOf({ settings }: Ctx, id: string, key: string, word: Word): readonly [string, string] | null {
  if (word === 'over') return [alertOverMail.mail.key, id];
  const isForStaff = settings.get(alertsEmail).length === 0;
  const job = JOB_FAILED.exec(key)?.[1];
  if (isForStaff && job !== undefined) return [failedJobMail.mail.key, job];
  if (isForStaff && key.startsWith(WEBHOOK_DISABLED)) return null;
  return [alertBegunMail.mail.key, id];
}

/** Has everybody told of an alert who wants to know, after the transaction. @param ctx of a transaction */
export async function tellAll(ctx: Ctx, { id, key }: Pick<Alert, 'id' | 'key'>, word: Word): Promise<void> {
  const mail = mailOf(ctx, id, key, word);
  if (mail !== null) await tellStaff(ctx, ...mail);
  if (ctx.settings.get(alertsWebhook) === null) return;
  const entry = { kind: ALERT_KIND, target: ALERT_KIND, refId: `${id}${MARK}${word}` };
  await insertOutbox(ctx, [{ ...entry, availableAt: ctx.now() }]);
}
