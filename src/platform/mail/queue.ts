import type { Ctx } from '#kernel/context.ts';
import type { MailSpec } from '#kernel/mail.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { headerText, isMailAddress } from './address.ts';
import { type Email, ids } from './record.ts';
import { type Recipient, subjectOf } from './render.ts';
import * as repo from './repository.ts';
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
 * (reliability M6). An address that cannot be used is noted and is no reason to refuse the change.
 *
 * @param ctx of a transaction
 * @returns id of the mail; null when the same was written before
 * @throws Error for a mail without a template
 */
export async function queueMail<P extends string>(
  ctx: Ctx,
  mail: MailSpec<P>,
  { to, locale, values, dedupe, related }: Queued<P>,
): Promise<string | null> {
  const now = ctx.now();
  const id = ctx.newId(ids.email);
  const name = headerText(to.name ?? '') || null;
  const isUsable = isMailAddress(to.address);
  const asked = { template: mail.key, locale, to: { address: to.address, name }, values };
  const email: Email = {
    id,
    template: mail.key,
    to: headerText(to.address),
    toName: name,
    subject: await subjectOf(ctx, asked),
    locale,
    status: isUsable ? 'queued' : 'suppressed',
    attempts: 0,
    run: 0,
    error: isUsable ? null : 'this is not an address that mail can be sent to',
    messageId: null,
    relatedType: related?.type ?? null,
    relatedId: related?.id ?? null,
    nextAttemptAt: isUsable ? now : null,
    dedupeKey: `${mail.key}:${dedupe.slice(0, MOST_DEDUPE)}`,
    isSecret: mail.isSecret,
    sentAt: null,
    endedAt: isUsable ? null : now,
    createdAt: now,
    updatedAt: now,
  };
  const isNew = await repo.insert(ctx, email, isUsable ? sealValues(ctx, id, values) : null);
  if (!isNew) return null;
  if (isUsable) await enqueue(ctx, id, now);
  return id;
}

/** Lets the worker send it, once the transaction is committed. @param availableAt ISO time */
export const enqueue = (ctx: Ctx, id: string, availableAt: string): Promise<void> =>
  insertOutbox(ctx, [{ kind: MAIL_KIND, target: MAIL_TARGET, refId: id, availableAt }]);
