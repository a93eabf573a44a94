// What a shop has sold and was paid, as its own books say it: read beside the program, which is not asked.
import type { LedgerLine } from '../../support/processors/loopback.ts';
import { Complaints } from './proof.ts';
import type { Reader } from './reader.ts';

/** An order that was placed. */
export interface Sold {
  id: string;
  order_number: string;
  email: string;
  paid_cents: number;
}

/** A payment by a processor. */
interface Paid {
  id: string;
  order_id: string;
  status: string;
  captured_cents: number;
}

/** Stock of one variant. */
export interface Level {
  on_hand: number;
  reserved: number;
  /** Sum of all movements. */
  moved: number;
}

/** Orders that were placed, of shoppers whose addresses begin so. */
export const soldTo = (reader: Reader, name: string): Promise<Sold[]> =>
  reader.all<Sold>(
    'SELECT id, order_number, email, paid_cents FROM orders WHERE placed_at IS NOT NULL AND email LIKE ?',
    `${name}%`,
  );

const LEVEL = `SELECT on_hand, reserved,
    (SELECT coalesce(sum(delta), 0) FROM stock_movements m WHERE m.variant_id = l.variant_id) AS moved
  FROM inventory_levels l WHERE variant_id = ?`;

export async function levelOf(reader: Reader, variantId: string): Promise<Level> {
  const [level] = await reader.all<Level>(LEVEL, variantId);
  if (!level) throw new Error(`variant ${variantId} has no stock level`);
  return level;
}

/**
 * Compares the books with the ledger of the processor, payment by payment. Whatever was taken there must be in the books,
 * once, and the other way round.
 *
 * @param charges what the processor took
 */
export async function compareCharges(reader: Reader, charges: readonly LedgerLine[]): Promise<Complaints> {
  const wrong = new Complaints();
  const payments = await reader.all<Paid>(
    "SELECT id, order_id, status, captured_cents FROM payments WHERE kind <> 'gift_card'",
  );
  const taken = Map.groupBy(charges, ({ paymentId }) => paymentId ?? '');
  for (const { id, status, captured_cents } of payments) {
    const found = taken.get(id) ?? [];
    taken.delete(id);
    const cents = found.reduce((sum, { amount }) => sum + amount, 0);
    wrong.unless(found.length <= 1, () => `${id} was charged ${found.length} times`);
    wrong.unless(
      cents === captured_cents,
      () => `${id} is ${status} with ${captured_cents}, ${cents} were taken`,
    );
  }
  for (const [id, found] of taken)
    wrong.unless(false, () => `${found.length} charges are of no payment: ${id}`);
  const paid = Map.groupBy(
    payments.filter(({ captured_cents }) => captured_cents > 0),
    ({ order_id }) => order_id,
  );
  for (const [id, found] of paid)
    wrong.unless(found.length === 1, () => `${id} was paid ${found.length} times`);
  return wrong;
}

/** Orders that were told of as placed more or less than once. */
export async function compareTold(reader: Reader, sold: readonly Sold[], mail: string): Promise<Complaints> {
  const wrong = new Complaints();
  const mails = await countBy(
    reader,
    `SELECT related_id AS id, count(*) AS n FROM email_log WHERE template = '${mail}' GROUP BY 1`,
  );
  const events = await countBy(
    reader,
    "SELECT subject AS id, count(*) AS n FROM events WHERE type = 'order.created' GROUP BY 1",
  );
  for (const { id } of sold) {
    wrong.unless(mails.get(id) === 1, () => `${id} was confirmed ${mails.get(id) ?? 0} times`);
    wrong.unless(events.get(id) === 1, () => `${id} has ${events.get(id) ?? 0} events order.created`);
  }
  return wrong;
}

const countBy = async (reader: Reader, sql: string): Promise<Map<string, number>> =>
  new Map((await reader.all<{ id: string; n: number }>(sql)).map(({ id, n }) => [id, n]));
