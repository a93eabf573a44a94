import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import { findByNumber, orderItemRecord, orderRecord } from '../orders/index.ts';
import {
  RESOLUTIONS,
  RETURN_STATES,
  type Return,
  type ReturnItem,
  type ReturnReason,
  returnItemRecord,
  returnReasonRecord,
  returnRecord,
} from './record.ts';

/** A return with what its order says. */
export type ReturnOf = Return & {
  readonly orderNumber: string | null;
  readonly email: string;
  readonly currency: string;
  readonly exchangeOrderNumber: string | null;
};

interface Beside {
  order_number: string | null;
  email: string;
  currency: string;
  exchange_order_number: string | null;
}

/** An order as people name it: by its number, too. */
const orderIdOf = async (ctx: Ctx, named: string): Promise<string> =>
  (await findByNumber(ctx, named))?.id ?? named;

/** Returns for staff. */
export const returnRows = selection<ReturnOf, Beside>({
  from: ({ db }) =>
    db
      .knex({ r: returnRecord.table })
      .join({ o: orderRecord.table }, 'o.id', 'r.order_id')
      .leftJoin({ e: orderRecord.table }, 'e.id', 'r.exchange_order_id'),
  id: 'r.id',
  scope: 'none',
  columns: ['r.*', 'o.order_number', 'o.email', 'o.currency', 'e.order_number as exchange_order_number'],
  read: (row) => ({
    ...returnRecord.read(row),
    orderNumber: row.order_number,
    email: row.email,
    currency: row.currency,
    exchangeOrderNumber: row.exchange_order_number,
  }),
  filters: {
    orderId: filter.lookup({
      label: 'Order',
      column: 'r.order_id',
      resource: 'shop-orders',
      id: orderIdOf,
    }),
    status: filter.choice(RETURN_STATES, { label: 'Status', column: 'r.status' }),
    resolution: filter.choice(RESOLUTIONS, { label: 'Resolution', column: 'r.resolution' }),
    reasonId: filter.text({
      label: 'Reason',
      column: (query, reason, { db }) =>
        void query.whereIn(
          'r.id',
          db.knex(returnItemRecord.table).where({ reason_id: reason }).select('return_id'),
        ),
    }),
    customerId: filter.text({ label: 'Customer', column: 'o.customer_id' }),
    '': filter.times({ label: 'Requested', column: 'r.requested_at' }),
  },
  search: {
    placeholder: 'Number, order, email or tracking',
    by: ['r.return_number', 'o.order_number', 'o.email', 'r.tracking_number'],
  },
  sorts: { requested: 'r.requested_at', updated: 'r.updated_at', number: 'r.return_number' },
  initial: '-requested',
});

/** An item of a return with the words of its line. */
export type ItemOf = ReturnItem & {
  readonly sku: string;
  readonly title: string;
  readonly variantTitle: string | null;
};

/** What stands in returns. */
export async function itemsOfRows({ db }: Ctx, returnIds: readonly string[]): Promise<ItemOf[]> {
  const rows: { sku: string; title: string; variant_title: string | null }[] = await db
    .knex({ i: returnItemRecord.table })
    .join({ l: orderItemRecord.table }, 'l.id', 'i.order_item_id')
    .whereIn('i.return_id', [...returnIds])
    .orderBy('i.id')
    .select('i.*', 'l.sku', 'l.title', 'l.variant_title');
  return rows.map((row) => ({
    ...returnItemRecord.read(row),
    sku: row.sku,
    title: row.title,
    variantTitle: row.variant_title,
  }));
}

/** Reasons for staff. */
export const reasonRows = selection<ReturnReason>({
  from: ({ db }) => db.knex(returnReasonRecord.table),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: returnReasonRecord.read,
  filters: {},
  sorts: { position: 'position' },
  initial: 'position',
});

const waiting = statement<Record<never, never>, { count: number }>((q) =>
  q(returnRecord.table).where('status', q.raw("'requested'")).count({ count: '*' }),
);
/** How many wait for a decision. */
export const countRequested = async ({ db }: Ctx): Promise<number> =>
  Number((await waiting.first(db, {}))?.count ?? 0);

/** Read models of `appctl doctor` over returns. Each answers at most this many ids. */
const MOST = 20;

type Row = { id: string };
const idsOf = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

/** Units of lines in returns of some states, line by line. */
const unitsIn = ({ db: { knex } }: Ctx, states: readonly string[]) =>
  knex({ i: 'return_items' })
    .join({ r: 'returns' }, 'r.id', 'i.return_id')
    .whereIn('r.status', [...states])
    .groupBy('i.order_item_id')
    .select('i.order_item_id');

/** Lines of orders of which more or less is asked back than open returns hold. */
export async function listWrongAsked(ctx: Ctx): Promise<string[]> {
  const { knex } = ctx.db;
  const held = unitsIn(ctx, ['requested', 'approved', 'in_transit'])
    .select(
      knex.raw("SUM(CASE WHEN r.status = 'requested' THEN i.quantity ELSE i.approved_quantity END) AS units"),
    )
    .as('u');
  const rows: Row[] = await knex({ l: 'order_items' })
    .leftJoin(held, 'u.order_item_id', 'l.id')
    .whereRaw('l.return_requested_quantity <> COALESCE(u.units, 0)')
    .orderBy('l.id')
    .limit(MOST)
    .select('l.id');
  return idsOf(rows);
}

/** Lines of orders of which more or less came back than returns have received, or more than had left. */
export async function listWrongReturned(ctx: Ctx): Promise<string[]> {
  const rows: Row[] = await ctx.db
    .knex({ l: 'order_items' })
    .leftJoin(
      unitsIn(ctx, ['received', 'completed']).sum({ units: 'i.received_quantity' }).as('u'),
      'u.order_item_id',
      'l.id',
    )
    .where((any) => {
      any
        .whereRaw('l.returned_quantity <> COALESCE(u.units, 0)')
        .orWhereRaw(
          'l.returned_quantity > CASE WHEN l.requires_shipping THEN l.fulfilled_quantity ELSE l.quantity END',
        );
    })
    .orderBy('l.id')
    .limit(MOST)
    .select('l.id');
  return idsOf(rows);
}

/** Returns of which more went into stock than was restocked: what is not counted has no movement. */
export async function listWrongStock({ db: { knex } }: Ctx): Promise<string[]> {
  const moved = knex('stock_movements')
    .whereNotNull('return_id')
    .groupBy('return_id')
    .select('return_id')
    .sum({ units: 'delta' })
    .as('m');
  const restocked = knex('return_items')
    .where('restock', true)
    .groupBy('return_id')
    .select('return_id')
    .sum({ units: 'received_quantity' })
    .as('b');
  const rows: Row[] = await knex({ r: 'returns' })
    .join(moved, 'm.return_id', 'r.id')
    .leftJoin(restocked, 'b.return_id', 'r.id')
    .whereRaw('m.units > COALESCE(b.units, 0)')
    .orderBy('r.id')
    .limit(MOST)
    .select('r.id');
  return idsOf(rows);
}

/** Completed returns without their outcome, exchanges without their order, and open ones that have an outcome. */
export async function listWrongStates({ db: { knex } }: Ctx): Promise<string[]> {
  const rows: Row[] = await knex('returns')
    .where((any) => {
      any
        .where((one) => one.where('status', 'completed').whereNull('outcome'))
        .orWhere((one) => one.whereNot('status', 'completed').whereNotNull('outcome'))
        .orWhere((one) => one.where('outcome', 'exchange').whereNull('exchange_order_id'));
    })
    .orderBy('id')
    .limit(MOST)
    .select('id');
  return idsOf(rows);
}
