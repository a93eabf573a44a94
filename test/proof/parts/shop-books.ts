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

/** What an order has of licenses, and what it should have. */
interface Licensed {
  order_number: string | null;
  is_due: number | string;
  units: number | string;
  licenses: number | string;
  mints: number | string;
  told: number | string;
}

/** Orders with a license for a line, and their licenses: by the license service, by the shop, and by who was told. */
const LICENSED = `SELECT o.order_number,
    CASE WHEN o.placed_at IS NOT NULL AND o.paid_at IS NOT NULL AND o.cancelled_at IS NULL THEN 1 ELSE 0 END AS is_due,
    (SELECT coalesce(sum(i.quantity), 0) FROM order_items i WHERE i.order_id = o.id) AS units,
    (SELECT count(*) FROM licenses l WHERE l.order_id = o.order_number) AS licenses,
    (SELECT count(*) FROM license_mints m WHERE m.order_id = o.id AND m.status = 'minted') AS mints,
    (SELECT count(*) FROM events e JOIN licenses l ON l.id = e.subject
      WHERE e.type = 'LICENSE_CREATED' AND l.order_id = o.order_number) AS told
  FROM orders o`;

/** A paid order has exactly its licenses, each told of once; one that is not paid has none. */
export async function compareLicenses(reader: Reader): Promise<Complaints> {
  const wrong = new Complaints();
  for (const { order_number, ...row } of await reader.all<Licensed>(LICENSED)) {
    const [due, units, ...found] = [row.is_due, row.units, row.licenses, row.mints, row.told].map(Number);
    const wanted = due === 1 ? units : 0;
    wrong.unless(
      found.every((count) => count === wanted),
      () => `order ${order_number} must have ${wanted} licenses: ${JSON.stringify(row)}`,
    );
  }
  const strays = await reader.all<{ id: string }>(
    "SELECT id FROM licenses WHERE source = 'STOREFRONT' AND id NOT IN (SELECT license_id FROM license_mints WHERE license_id IS NOT NULL)",
  );
  wrong.unless(strays.length === 0, () => `${strays.length} licenses belong to no order`);
  return wrong;
}

const countBy = async (reader: Reader, sql: string): Promise<Map<string, number>> =>
  new Map((await reader.all<{ id: string; n: number }>(sql)).map(({ id, n }) => [id, n]));
