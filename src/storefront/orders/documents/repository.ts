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

/** Numbers of both series begin after it. */
const BEFORE_FIRST = 1000;

/** How many numbers of each series were taken, and how many documents have one: one statement sees both at one moment. */
export async function countIssued({
  db: { knex },
}: Ctx): Promise<{ kind: string; taken: number; issued: number }[]> {
  const kinds = new Map([
    ['shop_invoice_number', 'invoices'],
    ['shop_credit_note_number', 'credit notes'],
  ]);
  const rows: { name: string; value: number | string; issued: number | string }[] = await knex('counters')
    .whereIn('name', [...kinds.keys()])
    .orderBy('name', 'desc')
    .select('name', 'value', {
      issued: knex(TABLE)
        .count('*')
        .whereRaw("kind = CASE name WHEN 'shop_invoice_number' THEN 'invoice' ELSE 'credit_note' END"),
    });
  return rows.map(({ name, value, issued }) => ({
    kind: kinds.get(name) ?? name,
    taken: Number(value) - BEFORE_FIRST,
    issued: Number(issued),
  }));
}
