import { z } from 'zod';
import { email, oneLine, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { MOST_MESSAGE } from './record.ts';

/** What the contact form sends; a robot fills in `_hp`, which people do not see. */
export const MessageInput = later(() =>
  z.object({
    name: optional(text({ max: 100, trim: true })),
    email: email(),
    /** It becomes a header of a mail, in which a line break would begin another one. */
    subject: optional(text({ max: 200, trim: true, form: oneLine })),
    message: text({ min: 1, max: MOST_MESSAGE, trim: true }),
    _hp: optional(text({ max: 500 })),
  }),
);
export type MessageSent = z.output<typeof MessageInput>;
