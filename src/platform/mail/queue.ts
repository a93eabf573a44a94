import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { headerText, isMailAddress } from './address.ts';
import { type Email, ids } from './record.ts';
import { type Recipient, subjectOf } from './render.ts';
import * as repo from './repository.ts';
import { isOn } from './templates/switches.ts';
import { sealValues } from './values.ts';

export const MAIL_KIND = 'mail';
/** All mails go to the one server, which is asked to take two at a time. */
export const MAIL_TARGET = 'mail';

const MOST_DEDUPE = 190;

/** A mail to be sent after the commit. */
export interface Queued<P extends string> {
  readonly to: Recipient;
  /** Language of whoever reads it, such as `de`; English where the mail has no words in it. */
  readonly locale: string;
  /** One for each placeholder; an empty one leaves its line out. */
  readonly values: Readonly<Record<P, string>>;
  /** The subject of the mail and its step: a second mail with the same template, subject and step is never written. */
  readonly dedupe: string;
  /** What staff finds it by. */
  readonly related?: { readonly type: string; readonly id: string } | undefined;
}

/**
 * Writes a mail in the transaction of the change that it reports: a rollback sends nothing, a crash loses nothing
 * (reliability M6). An address that cannot be used and a mail that staff switched off are noted in the list, and are no
 * reason to refuse the change.
 *
 * @param ctx of a transaction
 * @returns id of the mail; null when the same was written before, when it is off unless staff switch it on, and when the
 *   address got as many of it within an hour as strangers may cause
 * @throws Error for a mail without a template
 */
export async function queueMail<P extends string>(
  ctx: Ctx,
  mail: MailSpec<P>,
  { to, locale, values, dedupe, related }: Queued<P>,
): Promise<string | null> {
  const isSent = await isOn(ctx, mail);
  if (!isSent && mail.isOffAtFirst) return null;
  if (await isTooMany(ctx, mail, to.address)) return null;
  const now = ctx.now();
  const id = ctx.newId(ids.email);
  const name = headerText(to.name ?? '') || null;
  const fault = whyNot(to.address, isSent);
  const asked = { template: mail.key, locale, to: { address: to.address, name }, values };
  const email: Email = {
    id,
    template: mail.key,
    to: headerText(to.address),
    toName: name,
    subject: await subjectOf(ctx, asked),
    locale,
    status: fault === null ? 'queued' : 'suppressed',
    attempts: 0,
    run: 0,
    error: fault,
    messageId: null,
    relatedType: related?.type ?? null,
    relatedId: related?.id ?? null,
    nextAttemptAt: fault === null ? now : null,
    dedupeKey: `${mail.key}:${dedupe.slice(0, MOST_DEDUPE)}`,
    isSecret: mail.isSecret,
    sentAt: null,
    endedAt: fault === null ? null : now,
    createdAt: now,
    updatedAt: now,
  };
  const isKept = isMailAddress(to.address) && (fault === null || !mail.isSecret);
  const isNew = await repo.insert(ctx, email, isKept ? sealValues(ctx, id, values) : null);
  if (!isNew) return null;
  if (fault === null) await enqueue(ctx, id, now);
  return id;
}

const HOUR_SECONDS = 3600;

async function isTooMany(ctx: Ctx, { key, mostAnHour }: MailSpec, address: string): Promise<boolean> {
  if (mostAnHour === undefined) return false;
  const since = addSeconds(ctx.now(), -HOUR_SECONDS);
  return (await repo.countTo(ctx, { template: key, address: headerText(address), since })) >= mostAnHour;
}

/** Why nothing will be sent; null where it will. */
function whyNot(address: string, isSent: boolean): string | null {
  if (!isMailAddress(address)) return 'email cannot be sent to this address';
  return isSent ? null : 'this kind of email is turned off in the settings';
}

/** Lets the worker send it, once the transaction is committed. @param availableAt ISO time */
export const enqueue = (ctx: Ctx, id: string, availableAt: string): Promise<void> =>
  insertOutbox(ctx, [{ kind: MAIL_KIND, target: MAIL_TARGET, refId: id, availableAt }]);
