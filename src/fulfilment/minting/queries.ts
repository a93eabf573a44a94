import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { Snapshot } from '#storefront/contract/extensions.ts';
import { renewedLicense, type SoldLicense, soldLicense } from '../grants/index.ts';
import { licenseMintRecord } from './record.ts';

/** A line of an order that was sold with a license. */
export interface LicensedItem {
  readonly id: string;
  readonly orderId: string;
  readonly variantId: string | null;
  readonly title: string;
  readonly quantity: number;
  readonly cancelledQuantity: number;
  readonly license: SoldLicense;
  /** The license that the line makes last longer; null for a line with new ones. */
  readonly renews: string | null;
}

type Row = Record<'id' | 'order_id' | 'title', string> & {
  variant_id: string | null;
  quantity: number;
  cancelled_quantity: number;
  fulfilment: unknown;
};

const licensed = statement<{ order: string }, Row>((q, p) =>
  q('order_items')
    .where('order_id', p('order'))
    .whereNotNull('fulfilment')
    .orderBy(['position', 'id'])
    .select('id', 'order_id', 'variant_id', 'title', 'quantity', 'cancelled_quantity', 'fulfilment'),
);

/** The lines of an order that were sold with a license. Every paid order asks: most have none. */
export async function licensedItems({ db }: Ctx, orderId: string): Promise<LicensedItem[]> {
  const rows = await licensed.all(db, { order: orderId });
  return rows.flatMap((row) => {
    const kept = readJsonOrNull<Snapshot>(row.fulfilment);
    const license = soldLicense(kept);
    if (!license) return [];
    const { id, order_id: ofOrder, title, quantity, cancelled_quantity: cancelled } = row;
    return [
      {
        id,
        orderId: ofOrder,
        variantId: row.variant_id,
        title,
        quantity,
        cancelledQuantity: cancelled,
        license,
        renews: renewedLicense(kept),
      },
    ];
  });
}

const refunded = statement<{ order: string }, { id: string; units: number | string }>((q, p) =>
  q('refund_items as i')
    .joinRaw('join refunds as r on r.id = i.refund_id')
    .where('r.order_id', p('order'))
    .where('r.status', 'succeeded')
    .groupBy('i.order_item_id')
    .select('i.order_item_id as id', q.raw('sum(i.quantity) as units')),
);

/** Units of the lines of an order whose money went back, by line. */
export async function refundedUnits({ db }: Ctx, orderId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await refunded.all(db, { order: orderId });
  return new Map(rows.map(({ id, units }) => [id, Number(units)]));
}

const exchanged = statement<{ order: string }, { id: string; units: number | string }>((q, p) =>
  q('return_items as i')
    .joinRaw('join returns as r on r.id = i.return_id')
    .where('r.order_id', p('order'))
    .where('r.outcome', 'exchange')
    .groupBy('i.order_item_id')
    .select('i.order_item_id as id', q.raw('sum(i.received_quantity) as units')),
);
/** Units of the lines of an order for which something else was sent, by line. */
export async function exchangedUnits({ db }: Ctx, orderId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await exchanged.all(db, { order: orderId });
  return new Map(rows.map(({ id, units }) => [id, Number(units)]));
}

const arrived = statement<{ id: string }, { id: string; units: number }>((q, p) =>
  q('return_items').where('return_id', p('id')).select('order_item_id as id', 'received_quantity as units'),
);
/** Units that have come back with a return, by line. */
export async function receivedUnits({ db }: Ctx, returnId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await arrived.all(db, { id: returnId });
  return new Map(rows.map(({ id, units }) => [id, Number(units ?? 0)]));
}

const coming = statement<{ id: string }, { id: string; units: number }>((q, p) =>
  q('return_items').where('return_id', p('id')).select('order_item_id as id', 'approved_quantity as units'),
);

/** Units that a return may bring back, by line. */
export async function approvedUnits({ db }: Ctx, returnId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await coming.all(db, { id: returnId });
  return new Map(rows.map(({ id, units }) => [id, Number(units ?? 0)]));
}

const resting = statement<{ order: string }, { id: string }>((q, p) =>
  q('returns')
    .where('order_id', p('order'))
    .whereIn('status', ['approved', 'in_transit', 'received'])
    .orderBy('id')
    .select('id'),
);
/** Returns of an order for which licenses rest. */
export const returnsUnderWay = async ({ db }: Ctx, orderId: string): Promise<string[]> =>
  (await resting.all(db, { order: orderId })).map(({ id }) => id);

const WAITING_AT_ONCE = 200;

/** Orders with a license that could not be made, or changed, and is due again. */
export async function ordersWaiting({ db }: Ctx, now: string): Promise<string[]> {
  const rows: { order_id: string }[] = await db
    .knex(licenseMintRecord.table)
    .where('next_attempt_at', '<=', now)
    .groupBy('order_id')
    .orderByRaw('min(next_attempt_at), order_id')
    .limit(WAITING_AT_ONCE)
    .select('order_id');
  return rows.map((row) => row.order_id);
}
