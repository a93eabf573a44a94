import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { EMAIL_STATUSES, type Email } from './record.ts';

export { EmailPreview } from './templates/view.ts';

/** A mail as staff see it: what it says is not kept in a form that can be shown. */
export const EmailView = later(() =>
  z
    .object({
      id: z.string(),
      template: z.string(),
      to: z.string(),
      to_name: z.string().nullable(),
      subject: z.string(),
      locale: z.string(),
      status: z.enum(EMAIL_STATUSES),
      attempts: count(),
      error: z.string().nullable(),
      message_id: z.string().nullable(),
      related_type: z.string().nullable(),
      related_id: z.string().nullable(),
      next_attempt_at: instant().nullable(),
      sent_at: instant().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'EmailLog' }),
);

export const emailView = (email: Email): z.output<typeof EmailView> => ({
  id: email.id,
  template: email.template,
  to: email.to,
  to_name: email.toName,
  subject: email.subject,
  locale: email.locale,
  status: email.status,
  attempts: email.attempts,
  error: email.error,
  message_id: email.messageId,
  related_type: email.relatedType,
  related_id: email.relatedId,
  next_attempt_at: email.nextAttemptAt,
  sent_at: email.sentAt,
  created_at: email.createdAt,
});

/** What came of a test. */
export const EmailTested = later(() =>
  z
    .object({ sent: z.boolean(), error: z.string().nullable(), response: z.string().nullable() })
    .meta({ id: 'EmailTested' }),
);
