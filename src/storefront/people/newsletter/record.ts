import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** `pending`: whoever has the address has not confirmed yet that it was him who asked. */
export const SUBSCRIBER_STATUSES = ['pending', 'confirmed', 'unsubscribed'] as const;

/** Another spelling of an address is the same subscriber (storefront-domain 1). */
export const normed = (email: string): string => email.trim().toLowerCase();

/** Who wants the newsletter of the shop, and what he agreed to (storefront-domain 13). */
export const subscriberRecord = record(
  'newsletter_subscribers',
  {
    id: column.id(ids.newsletterSubscriber),
    email: column.text(255, 3).personal((id) => `anon-${id}@invalid`),
    emailNorm: column
      .text(255)
      .personal()
      .from(({ email }: { email: string }) => normed(email)),
    status: column.choice(SUBSCRIBER_STATUSES),
    /** Language in which he agreed. */
    locale: column.text(20, 1),
    /** What he read beside the button, and when he pressed it: the proof, without an address of the network. */
    consentText: column.text(1000, 1),
    consentAt: column.time(),
    confirmedAt: column.time().nullable(),
    unsubscribedAt: column.time().nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    natural: ['emailNorm'],
    whose: { email: 'emailNorm', goes: true },
    kept: 'until staff remove them: they are the proof of what was agreed to',
  },
);
export type Subscriber = ValuesOf<typeof subscriberRecord>;
