import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { licenseMintRecord } from '../minting/index.ts';

const TABLE = licenseMintRecord.table;

/** A license and the order that it was bought with. */
export interface Owned {
  readonly licenseId: string;
  readonly orderNumber: string | null;
}

type Row = { license_id: string; order_number: string | null };
const toOwned = ({ license_id: licenseId, order_number: orderNumber }: Row): Owned => ({
  licenseId,
  orderNumber,
});

const ofCustomer = statement<{ customer: string }, Row>((q, p) =>
  q({ m: TABLE })
    .join({ o: 'orders' }, 'o.id', 'm.order_id')
    .where('o.customer_id', p('customer'))
    .whereNotNull('o.placed_at')
    .whereNotNull('m.license_id')
    .orderBy([
      { column: 'm.created_at', order: 'desc' },
      { column: 'm.id', order: 'desc' },
    ])
    .select('m.license_id', 'o.order_number'),
);
/** Whose license it is: the customer of the order that it was bought with. The newest first. */
export const ownedBy = async ({ db }: Ctx, customerId: string): Promise<Owned[]> =>
  (await ofCustomer.all(db, { customer: customerId })).map(toOwned);

const one = statement<{ customer: string; license: string }, Row>((q, p) =>
  q({ m: TABLE })
    .join({ o: 'orders' }, 'o.id', 'm.order_id')
    .where('m.license_id', p('license'))
    .where('o.customer_id', p('customer'))
    .whereNotNull('o.placed_at')
    .limit(1)
    .select('m.license_id', 'o.order_number'),
);
/** One of them; null for an unknown one and for one of somebody else. */
export async function findOwned({ db }: Ctx, customerId: string, licenseId: string): Promise<Owned | null> {
  const row = await one.first(db, { customer: customerId, license: licenseId });
  return row ? toOwned(row) : null;
}

const inOrder = statement<{ order: string; license: string }, Row>((q, p) =>
  q({ m: TABLE })
    .where('m.license_id', p('license'))
    .where('m.order_id', p('order'))
    .limit(1)
    .select('m.license_id', q.raw('NULL as order_number')),
);
/** Whether an order has a license. */
export const isOfOrder = async ({ db }: Ctx, orderId: string, licenseId: string): Promise<boolean> =>
  (await inOrder.first(db, { order: orderId, license: licenseId })) !== undefined;

const ofLine = statement<{ item: string }, { license_id: string }>((q, p) =>
  q({ m: TABLE })
    .where('m.order_item_id', p('item'))
    .where('m.status', 'minted')
    .whereNotNull('m.license_id')
    .orderBy('m.unit_no')
    .select('m.license_id'),
);
/** The licenses of an order's line that nothing has ended or suspended. */
export const licensesOfLine = async ({ db }: Ctx, orderItemId: string): Promise<string[]> =>
  (await ofLine.all(db, { item: orderItemId })).map((row) => row.license_id);
