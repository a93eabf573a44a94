import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MESSAGE_STATUSES, type Message } from './record.ts';

/** A message of the contact form as staff see it. */
export const MessageView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string().nullable(),
      email: z.string(),
      subject: z.string().nullable(),
      message: z.string(),
      locale: z.string(),
      status: z.enum(MESSAGE_STATUSES),
      done_at: instant().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'ContactMessage' }),
);

export const messageView = ({
  doneAt,
  createdAt,
  updatedAt: _changed,
  ...message
}: Message): z.output<typeof MessageView> => ({ ...message, done_at: doneAt, created_at: createdAt });
