import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { messageDays } from '#storefront/contract/selling-settings.ts';

export const MESSAGE_STATUSES = ['open', 'done'] as const;
export const MOST_MESSAGE = 5000;

/** What somebody wrote by the contact form of the shop (storefront-domain 13). */
export const messageRecord = record(
  'contact_messages',
  {
    id: column.id(ids.contactMessage),
    name: column
      .text(100)
      .nullable()
      .personal(() => null),
    email: column.text(255, 3).personal((id) => `anon-${id}@invalid`),
    subject: column
      .text(200)
      .nullable()
      .personal(() => null),
    message: column.text(MOST_MESSAGE, 1).personal(() => '-'),
    /** Language in which the form was read. */
    locale: column.text(20, 1),
    status: column.choice(MESSAGE_STATUSES),
    /** When it was marked as done. */
    doneAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    whose: { email: 'email' },
    kept: [{ as: 'messages', by: 'doneAt', days: messageDays, where: { status: 'done' } }],
  },
);
export type Message = ValuesOf<typeof messageRecord>;
