import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';

export const CUSTOMER_STATUSES = ['active', 'disabled', 'anonymised'] as const;

/** Another spelling of an address is the same customer (storefront-domain 1). */
export const emailNormed = (email: string): string => email.trim().toLowerCase();

/** Who buys: with an account, or as a guest, whose row follows from the address of an order (storefront-domain 4.3). */
export const shopCustomerRecord = record(
  'customers',
  {
    id: column.id(ids.customer),
    email: column.text(255, 3).personal((id) => `anon-${id}@invalid`),
    emailNorm: column
      .text(255)
      .personal()
      .from(({ email }: { email: string }) => emailNormed(email)),
    firstName: column
      .text(100)
      .nullable()
      .personal(() => null),
    lastName: column
      .text(100)
      .nullable()
      .personal(() => null),
    phone: column
      .text(50)
      .nullable()
      .personal(() => null),
    locale: column.text(20).nullable(),
    acceptsMarketing: column.flag(),
    /** The owner of the address has proven that it is theirs. */
    emailVerifiedAt: column.time().nullable(),
    birthday: column
      .day()
      .nullable()
      .personal(() => null),
    taxId: column
      .text(50)
      .nullable()
      .personal(() => null),
    tags: column.texts(50, 50).personal(() => []),
    status: column.choice(CUSTOMER_STATUSES),
    isGuest: column.flag(),
    taxExempt: column.flag(),
    /** Of orders that were placed. */
    orderCount: column.integer(0),
    /** What was paid, less what went back. */
    spentCents: column.integer(0),
    lastLoginAt: column.time().nullable(),
    deletedAt: column.time().nullable(),
    /** Of an account; a guest has none. */
    passwordHash: column.text(255, 1).nullable().secret(),
    /** SHA-256 of what a link to leave the newsletter carries. */
    marketingToken: column.text(64, 64).nullable().secret(),
    /** Raised by whatever ends the sessions of the account. */
    sessionGeneration: column.integer(0).aside(),
    /** Since the last sign-in, or the last lock. */
    failedLogins: column.integer(0).aside(),
    lockedUntil: column.time().nullable().aside(),
    /** Which emails the customer wants beside those of orders and of offers. */
    cartReminders: column.flag().aside(),
    reviewRequests: column.flag().aside(),
    /** Who has what was theirs, once two were merged. */
    mergedIntoId: column.text(30, 1).nullable(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  {
    person: 'id',
    whose: { ids: { id: 'customers' } },
    kept: 'as long as the books: an erasure empties who it was',
  },
);
export type Customer = ValuesOf<typeof shopCustomerRecord>;

export const MOST_NOTE = 5000;

/** What staff note of a customer, for each other (storefront-domain 4.3). */
export const customerNoteRecord = record(
  'customer_notes',
  {
    id: column.id(ids.customerNote),
    customerId: column.id(ids.customer).references('customers'),
    /** null: it came by a program. */
    adminUserId: column.text(30, 1).nullable(),
    /** Who wrote it, by name. */
    actor: column.text(255, 1),
    body: column.text(MOST_NOTE, 1).personal(),
    createdAt: column.time(),
  },
  { whose: { ids: { customerId: 'customers' }, goes: true }, kept: 'as long as the account of the customer' },
);
export type CustomerNote = ValuesOf<typeof customerNoteRecord>;
