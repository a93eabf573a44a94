import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

/** Where somebody agreed to marketing, or withdrew it. */
export const CONSENT_SOURCES = [
  'register',
  'checkout',
  'preferences',
  'newsletter',
  'unsubscribe',
  'staff',
  'import',
] as const;
export type ConsentSource = (typeof CONSENT_SOURCES)[number];
export const MOST_CONSENT_TEXT = 1000;

/** The proof of who agreed to marketing, when and how; rows are added, and go with the person (decision 0089). */
export const consentRecord = record(
  'customer_consents',
  {
    id: column.id(ids.consent),
    customerId: column.id(ids.customer).references('customers').nullable(),
    /** Of the newsletter, where nobody has an account. */
    subscriberId: column.id(ids.newsletterSubscriber).references('newsletter_subscribers').nullable(),
    /** false: withdrawn. */
    granted: column.flag(),
    source: column.choice(CONSENT_SOURCES),
    /** What was read beside the button. */
    text: column.text(MOST_CONSENT_TEXT).nullable(),
    locale: column.text(20).nullable(),
    ip: column.text(45).nullable().personal(),
    userAgent: column.text(300).nullable().personal(),
    actorType: column.choice(['customer', 'staff', 'system']),
    /** Name of the member of staff. */
    actor: column.text(255).nullable(),
    createdAt: column.time(),
  },
  {
    whose: { ids: { customerId: 'customers', subscriberId: 'newsletter_subscribers' }, goes: true },
    kept: 'as long as the customer or the subscriber',
  },
);
export type Consent = ValuesOf<typeof consentRecord>;
