import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { SUBSCRIBER_STATUSES, type Subscriber } from './record.ts';

/** A subscriber of the newsletter as staff see it. */
export const SubscriberView = later(() =>
  z
    .object({
      id: z.string(),
      email: z.string(),
      status: z.enum(SUBSCRIBER_STATUSES),
      locale: z.string(),
      consent_text: z.string(),
      consent_at: instant(),
      confirmed_at: instant().nullable(),
      unsubscribed_at: instant().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'NewsletterSubscriber' }),
);

export const subscriberView = (one: Subscriber): z.output<typeof SubscriberView> => ({
  id: one.id,
  email: one.email,
  status: one.status,
  locale: one.locale,
  consent_text: one.consentText,
  consent_at: one.consentAt,
  confirmed_at: one.confirmedAt,
  unsubscribed_at: one.unsubscribedAt,
  created_at: one.createdAt,
});
