import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import type { DocumentModel, Seller } from './model.ts';

/** What a document prints of amounts, goods and its seller, as it was when it was issued. */
export interface IssuedContent
  extends Omit<DocumentModel, 'seller' | 'billing' | 'shipping' | 'note' | 'number' | 'date'> {
  readonly seller: Omit<Seller, 'logo'>;
  /** Of the tax, what shipping was taxed with: further notes of the order take the rest of it. */
  readonly shippingTaxCents: number;
}

/** Whom it is for: it goes when that person is erased, and the amounts stay. */
export type IssuedBuyer = Pick<DocumentModel, 'billing' | 'shipping' | 'note'>;

const cents = () => z.number();
const named = () => z.array(z.object({ label: z.string(), amountCents: cents() }));
const lines = () =>
  z.array(
    z.object({
      sku: z.string(),
      title: z.string(),
      variant: z.string().nullable(),
      quantity: z.number(),
      unitCents: cents(),
      discountCents: cents(),
      netCents: cents(),
      taxPpm: z.array(z.number()),
      taxCents: cents(),
      totalCents: cents(),
    }),
  );

const Content: () => z.ZodType<IssuedContent> = () =>
  z.object({
    orderNumber: z.string().nullable(),
    refersTo: z.string().nullable(),
    timeZone: z.string(),
    locale: z.string(),
    currency: z.string(),
    country: z.string(),
    seller: z.object({
      name: z.string(),
      address: z.array(z.string()),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      taxId: z.string().nullable(),
    }),
    lines: lines(),
    subtotalCents: cents(),
    discounts: named(),
    shippingCents: cents(),
    shippingTaxCents: cents(),
    taxes: z.array(z.object({ name: z.string(), ratePpm: z.number(), netCents: cents(), taxCents: cents() })),
    taxCents: cents(),
    totalCents: cents(),
    giftCards: named(),
    paidCents: cents(),
    dueCents: cents(),
    exempt: z.string().nullable(),
  });

const Buyer: () => z.ZodType<IssuedBuyer> = () =>
  z.object({
    billing: z.array(z.string()),
    shipping: z.array(z.string()).nullable(),
    note: z.string().nullable(),
  });

/** Invoices and credit notes: a row is written when one is issued and says the same for ever (storefront-domain 4.5). */
export const invoiceRecord = record(
  'invoices',
  {
    id: column.id(ids.invoice),
    orderId: column.id(ids.order).references('orders'),
    kind: column.choice(['invoice', 'credit_note']),
    invoiceNumber: column.text(30, 1),
    refundId: column.id(ids.refund).references('refunds').nullable(),
    issuedAt: column.time(),
    content: column.json<IssuedContent>(Content),
    buyer: column
      .json<IssuedBuyer>(Buyer)
      .nullable()
      .personal(() => null),
    createdAt: column.time(),
  },
  {
    natural: ['invoiceNumber'],
    whose: { ids: { orderId: 'orders' } },
    kept: 'as long as the books: erasing a customer empties who it was and leaves the amounts',
  },
);
export type Invoice = ValuesOf<typeof invoiceRecord>;
