import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import type { NamedAmount } from './model.ts';
import { type Invoice, invoiceRecord } from './record.ts';

const TABLE = invoiceRecord.table;

const added = insertInto(invoiceRecord);
export const insertInvoice = ({ db }: Ctx, one: Invoice): Promise<number> =>
  added.run(db, invoiceRecord.write(one));

const ofOrder = statement<{ id: string }, object>((q, p) =>
  q(TABLE).where('order_id', p('id')).orderBy(['issued_at', 'id']).select('*'),
);
/** The invoice of an order and its credit notes, the oldest first. */
export const documentsOf = async ({ db }: Ctx, orderId: string): Promise<Invoice[]> =>
  (await ofOrder.all(db, { id: orderId })).map(invoiceRecord.read);

const paidByCard = statement<{ id: string }, { method_label: string | null; captured_cents: number }>(
  (q, p) =>
    q('payments')
      .where('order_id', p('id'))
      .where('kind', 'gift_card')
      .where('captured_cents', '>', 0)
      .orderBy(['created_at', 'id'])
      .select('method_label', 'captured_cents'),
);
/** What gift cards have paid of an order. */
export const giftCardsOf = async ({ db }: Ctx, orderId: string): Promise<NamedAmount[]> =>
  (await paidByCard.all(db, { id: orderId })).map((row) => ({
    label: row.method_label ?? 'Gift card',
    amountCents: Number(row.captured_cents),
  }));
