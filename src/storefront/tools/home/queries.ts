import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { mediaRecord } from '#platform/media/index.ts';
import { levelRecord } from '#storefront/catalog/inventory/index.ts';
import { productMediaRecord, shopProductRecord, variantRecord } from '#storefront/catalog/products/index.ts';
import { messageRecord } from '#storefront/people/messages/index.ts';

/** What a shop holds, as far as its staff has to do something about it. */
export interface Figures {
  readonly active: number;
  readonly drafts: number;
  /** Active ones that are shipped. */
  readonly physical: number;
  /** Active ones that are shown later. */
  readonly scheduled: number;
  /** Active ones without a picture. */
  readonly withoutPicture: number;
  readonly pictures: number;
  /** Pictures that nobody has described. */
  readonly withoutAlt: number;
}

const PRODUCTS = shopProductRecord.table;
const MEDIA = mediaRecord.table;

const figuresRow = statement<{ now: string }, Record<keyof Figures, unknown>>((q, p) => {
  const active = () => q(PRODUCTS).where('status', 'active').count('*');
  const pictured = q(productMediaRecord.table)
    .whereRaw('product_id = ??', [`${PRODUCTS}.id`])
    .select('product_id');
  return q.select(
    active().as('active'),
    q(PRODUCTS).where('status', 'draft').count('*').as('drafts'),
    active().where('type', q.raw("'physical'")).as('physical'),
    active().where('publish_at', '>', p('now')).as('scheduled'),
    active().whereNotExists(pictured).as('withoutPicture'),
    q(MEDIA).count('*').as('pictures'),
    q(MEDIA).where('status', 'ready').whereNull('alt').count('*').as('withoutAlt'),
  );
});

/** All of them in one question. */
export async function figuresOf(ctx: Ctx): Promise<Figures> {
  const row = await figuresRow.first(ctx.db, { now: ctx.now() });
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([name, count]) => [name, Number(count)]),
  ) as unknown as Figures;
}

const lowRow = statement<Record<never, never>, { count: unknown }>((q) =>
  q({ l: levelRecord.table })
    .join({ v: variantRecord.table }, 'v.id', 'l.variant_id')
    .where('l.state', '<>', q.raw("'in'"))
    .whereNull('v.deleted_at')
    .count({ count: '*' }),
);
const openRow = statement<Record<never, never>, { count: unknown }>((q) =>
  q(messageRecord.table).where('status', q.raw("'open'")).count({ count: '*' }),
);

/** Variants at or below their threshold. */
export const countLow = async ({ db }: Ctx): Promise<number> => Number((await lowRow.first(db, {}))?.count);

/** Messages of shoppers that nobody has marked as done. */
export const countOpenMessages = async ({ db }: Ctx): Promise<number> =>
  Number((await openRow.first(db, {}))?.count);

const openOrders = statement<Record<never, never>, Record<string, unknown>>((q) => {
  const placed = (status: string) => q('orders').where('status', status).whereNotNull('placed_at').count('*');
  return q.select(
    q('orders').where('review', 'waiting').count('*').as('to_review'),
    placed('processing').as('to_ship'),
    placed('pending').as('unpaid'),
    q('returns').where('status', 'requested').count('*').as('returns'),
  );
});

/** Orders that wait for somebody: those of an open state, which are few. */
export async function countOrders({ db }: Ctx) {
  const row = await openOrders.first(db, {});
  return {
    toReview: Number(row?.to_review),
    toShip: Number(row?.to_ship),
    unpaid: Number(row?.unpaid),
    returns: Number(row?.returns),
  };
}

const cartsIn = statement<{ from: string; before: string }, { count: unknown }>((q, p) =>
  q('carts').where('created_at', '>=', p('from')).where('created_at', '<', p('before')).count({ count: '*' }),
);
/** Carts that shoppers began within a time. */
export const countCarts = async ({ db }: Ctx, from: string, before: string): Promise<number> =>
  Number((await cartsIn.first(db, { from, before }))?.count);

/** An order as the first page shows it. */
export interface Latest {
  readonly id: string;
  readonly orderNumber: string | null;
  readonly status: string;
  readonly paymentStatus: string;
  readonly totalCents: number;
  readonly currency: string;
  readonly placedAt: string;
}

/** The orders that were placed last. */
export async function listLatest({ db: { knex } }: Ctx, most: number): Promise<Latest[]> {
  const rows: Record<string, unknown>[] = await knex('orders')
    .whereNotNull('placed_at')
    .orderBy('placed_at', 'desc')
    .limit(most)
    .select('id', 'order_number', 'status', 'payment_status', 'total_cents', 'currency', 'placed_at');
  return rows.map((row) => ({
    id: String(row.id),
    orderNumber: row.order_number === null ? null : String(row.order_number),
    status: String(row.status),
    paymentStatus: String(row.payment_status),
    totalCents: Number(row.total_cents),
    currency: String(row.currency),
    placedAt: String(row.placed_at),
  }));
}
