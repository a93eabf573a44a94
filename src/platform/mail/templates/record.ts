import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';

export const MOST_SUBJECT = 200;
export const MOST_BODY = 100_000;

/** Words of a mail in one language in place of the shipped ones (storefront-domain 4.15). */
export const templateRecord = record(
  'email_templates',
  {
    key: column.text(60, 1),
    locale: column.text(35, 1),
    subject: column.text(MOST_SUBJECT, 1),
    /** Of the allowed elements alone. */
    bodyHtml: column.text(MOST_BODY, 1),
    /** Null: made of the HTML. */
    bodyText: column.text(MOST_BODY).nullable(),
    /** Label of whoever changed it last. */
    updatedBy: column.text(255).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['key', 'locale'], kept: 'until staff put the shipped words back' },
);
export type OwnTemplate = ValuesOf<typeof templateRecord>;

/** Mails that staff switched on or off; the others are as they were declared. */
export const switchRecord = record(
  'email_switches',
  {
    key: column.text(60, 1),
    isOn: column.flag(),
    updatedBy: column.text(255).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { key: ['key'], kept: 'as long as the installation' },
);
export type Switch = ValuesOf<typeof switchRecord>;
