import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { emailLogDays } from './local.ts';

export const ids = defineIds({ email: 'eml' });

/** `suppressed`: nothing was sent, and nothing will be, because the address cannot be used or staff dropped it. */
export const EMAIL_STATUSES = ['queued', 'sending', 'sent', 'failed', 'suppressed'] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];

const LONG = 10_000;

/** Mails on their way and those that were sent (storefront-domain 4.15). */
export const emailRecord = record(
  'email_log',
  {
    id: column.id(ids.email),
    template: column.text(60, 1),
    to: column
      .text(255)
      .personal((id) => `anon-${id}@invalid`)
      .stored('to_address'),
    toName: column
      .text(200)
      .nullable()
      .personal(() => null),
    subject: column.text(200).personal(() => '-'),
    locale: column.text(35, 1),
    status: column.choice(EMAIL_STATUSES),
    /** Attempts of this run that have ended. */
    attempts: column.integer(0),
    /** 0 for the first sending, one more each time that staff sends it again. */
    run: column.integer(0),
    error: column.text(LONG).nullable(),
    /** Of the last attempt. */
    messageId: column.text(255).nullable(),
    /** What the mail is about. */
    relatedType: column.text(40).nullable(),
    relatedId: column.text(40).nullable(),
    nextAttemptAt: column.time().nullable(),
    /** Template, thing and step: a second mail of the same is never written. */
    dedupeKey: column.text(255, 1),
    /** Its values open something: they go as soon as it has ended. */
    isSecret: column.flag(),
    /** What its template names, sealed; null once it was dropped. */
    valuesEnc: column
      .text(Number.MAX_SAFE_INTEGER)
      .nullable()
      .personal(() => null)
      .secret(),
    sentAt: column.time().nullable(),
    endedAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    natural: ['dedupeKey'],
    whose: {
      ids: { relatedId: '*' },
      email: 'to',
      // Keys of mails to staff begin so: they name members of staff.
      shown: ({ template }) => !String(template).startsWith('admin_'),
    },
    kept: [{ as: 'emails', by: 'endedAt', days: emailLogDays }],
  },
);
export type Email = ValuesOf<typeof emailRecord>;
