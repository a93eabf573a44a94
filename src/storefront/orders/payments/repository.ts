import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  OPEN_STATES,
  type Payment,
  type ProcessorEvent,
  paymentRecord,
  processorEventRecord,
  type Refund,
  type RefundItem,
  refundItemRecord,
  refundRecord,
} from './record.ts';

const PAYMENTS = paymentRecord.table;
const REFUNDS = refundRecord.table;
const INBOX = processorEventRecord.table;

const paymentIn = (row: object | undefined): Payment | null => (row ? paymentRecord.read(row) : null);
const refundIn = (row: object | undefined): Refund | null => (row ? refundRecord.read(row) : null);

const byId = statement<{ id: string }, object>((q, p) => q(PAYMENTS).where('id', p('id')).select('*'));
const lockedById = statement<{ id: string }, object>((q, p) =>
  q(PAYMENTS).where('id', p('id')).forUpdate().select('*'),
);
const byTransaction = statement<{ processor: string; id: string }, object>((q, p) =>
  q(PAYMENTS).where('processor', p('processor')).where('transaction_id', p('id')).select('*'),
);
export const findPayment = async ({ db }: Ctx, id: string) => paymentIn(await byId.first(db, { id }));
export const lockPayment = async ({ db }: Ctx, id: string) => paymentIn(await lockedById.first(db, { id }));
export const findByTransaction = async ({ db }: Ctx, processor: string, id: string) =>
  paymentIn(await byTransaction.first(db, { processor, id }));

const ofOrder = statement<{ id: string }, object>((q, p) =>
  q(PAYMENTS).where('order_id', p('id')).orderBy(['created_at', 'id']).select('*'),
);
/** The payments of an order, the oldest first. */
export const paymentsOf = async ({ db }: Ctx, orderId: string): Promise<Payment[]> =>
  (await ofOrder.all(db, { id: orderId })).map(paymentRecord.read);

const added = insertInto(paymentRecord);
export const insertPayment = ({ db }: Ctx, payment: Payment): Promise<number> =>
  added.run(db, paymentRecord.write(payment));

const changed = statement<Record<string, unknown>>((q, p) =>
  q(PAYMENTS)
    .where('id', p('id'))
    .where('status', p('was'))
    .update(p.row(...paymentRecord.written.filter((name) => name !== 'id' && name !== 'created_at'))),
);
/** Stores a payment that is still in the state in which it was read. @returns 0 when it is not */
export const updatePayment = ({ db }: Ctx, payment: Payment, was: Payment['status']): Promise<number> =>
  changed.run(db, { ...paymentRecord.write(payment), was });

const takenBack = statement<{ id: string; cents: number; now: string }>((q, p) =>
  q(PAYMENTS)
    .where('id', p('id'))
    .whereRaw('refunded_cents + ? <= captured_cents', [p('cents')])
    .whereRaw('refunded_cents + ? >= 0', [p('cents')])
    .update({ refunded_cents: q.raw('refunded_cents + ?', [p('cents')]), updated_at: p('now') }),
);
/** What is refunded of a payment; with a minus what is not after all. @returns whether so much was left of it */
export const takeRefund = async (ctx: Ctx, id: string, cents: number): Promise<boolean> =>
  (await takenBack.run(ctx.db, { id, cents, now: ctx.now() })) === 1;

const judged = statement<{ id: string; dispute: string; now: string }>((q, p) =>
  q(PAYMENTS)
    .where('id', p('id'))
    .update({ dispute: p('dispute'), updated_at: p('now') }),
);
/** Notes how far a dispute about a payment is. */
export const noteDispute = (
  ctx: Ctx,
  id: string,
  dispute: NonNullable<Payment['dispute']>,
): Promise<number> => judged.run(ctx.db, { id, dispute, now: ctx.now() });

const disputed = statement<{ id: string }, { id: string }>((q, p) =>
  q(PAYMENTS).where('order_id', p('id')).where('dispute', 'open').limit(1).select('id'),
);
/** The payment of an order that its buyer disputes now; null where there is none. */
export const disputedPayment = async ({ db }: Ctx, orderId: string): Promise<string | null> =>
  (await disputed.first(db, { id: orderId }))?.id ?? null;

const heldCart = statement<{ id: string }, object>((q, p) =>
  q('carts').where('id', p('id')).forUpdate().select('id'),
);
/** Waits for the cart of an order: whoever locks several locks carts first (storefront-domain 8). */
export const holdCart = ({ db }: Ctx, id: string): Promise<void> => heldCart.lock(db, { id });

/** Payments of which nobody has heard since a time, those that wait longest first. */
export async function listQuiet({ db }: Ctx, before: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(PAYMENTS)
    .whereIn('status', [...OPEN_STATES])
    .whereNot('kind', 'gift_card')
    .where('updated_at', '<=', before)
    .orderBy('updated_at')
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Authorised payments whose time is over. */
export async function listLapsed({ db }: Ctx, now: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(PAYMENTS)
    .where({ status: 'authorized' })
    .whereNot('kind', 'gift_card')
    .where('expires_at', '<=', now)
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Payments that are still held for orders that were cancelled. */
export async function listHeldForNothing({ db }: Ctx, before: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex({ p: PAYMENTS })
    .join({ o: 'orders' }, 'o.id', 'p.order_id')
    .where({ 'p.status': 'authorized', 'o.status': 'cancelled' })
    .whereNot('p.kind', 'gift_card')
    .where('p.updated_at', '<=', before)
    .orderBy('p.updated_at')
    .limit(most)
    .select('p.id');
  return rows.map(({ id }) => id);
}

const touched = statement<{ id: string; now: string }>((q, p) =>
  q(PAYMENTS)
    .where('id', p('id'))
    .update({ updated_at: p('now') }),
);
/** It was asked about: it waits for its next turn. */
export const touchPayment = (ctx: Ctx, id: string): Promise<number> =>
  touched.run(ctx.db, { id, now: ctx.now() });

const refundById = statement<{ id: string }, object>((q, p) => q(REFUNDS).where('id', p('id')).select('*'));
const refundLocked = statement<{ id: string }, object>((q, p) =>
  q(REFUNDS).where('id', p('id')).forUpdate().select('*'),
);
const refundByKey = statement<{ orderId: string; key: string }, object>((q, p) =>
  q(REFUNDS).where('order_id', p('orderId')).where('idempotency_key', p('key')).select('*'),
);
export const findRefund = async ({ db }: Ctx, id: string) => refundIn(await refundById.first(db, { id }));
export const lockRefund = async ({ db }: Ctx, id: string) => refundIn(await refundLocked.first(db, { id }));
export const findRefundByKey = async ({ db }: Ctx, orderId: string, key: string) =>
  refundIn(await refundByKey.first(db, { orderId, key }));

const refundsOfOrder = statement<{ id: string }, object>((q, p) =>
  q(REFUNDS).where('order_id', p('id')).orderBy(['created_at', 'id']).select('*'),
);
export const refundsOf = async ({ db }: Ctx, orderId: string): Promise<Refund[]> =>
  (await refundsOfOrder.all(db, { id: orderId })).map(refundRecord.read);

export async function insertRefund({ db }: Ctx, refund: Refund): Promise<void> {
  await db.knex(REFUNDS).insert(refundRecord.write(refund));
}
const refundChanged = statement<Record<string, unknown>>((q, p) =>
  q(REFUNDS)
    .where('id', p('id'))
    .where('status', p('was'))
    .update(p.row(...refundRecord.written.filter((name) => name !== 'id' && name !== 'created_at'))),
);
export const updateRefund = ({ db }: Ctx, refund: Refund, was: Refund['status']): Promise<number> =>
  refundChanged.run(db, { ...refundRecord.write(refund), was });

export async function insertRefundItems({ db }: Ctx, items: readonly RefundItem[]): Promise<void> {
  if (items.length > 0)
    await db.knex(refundItemRecord.table).insert(items.map((one) => refundItemRecord.write(one)));
}
export async function refundItemsOf({ db }: Ctx, refundIds: readonly string[]): Promise<RefundItem[]> {
  const rows: object[] = await db
    .knex(refundItemRecord.table)
    .whereIn('refund_id', [...refundIds])
    .orderBy('id');
  return rows.map(refundItemRecord.read);
}

/** Refunds of which nobody has heard since a time. */
export async function listQuietRefunds({ db }: Ctx, before: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(REFUNDS)
    .where({ status: 'pending' })
    .where('updated_at', '<=', before)
    .orderBy('updated_at')
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}

const reported = statement<Record<string, unknown>>((q, p) =>
  q(INBOX)
    .insert(p.row(...processorEventRecord.written))
    .onConflict(['processor', 'processor_event_id'])
    .ignore(),
);
/** @returns false for one that came before */
export const insertReport = async ({ db }: Ctx, one: ProcessorEvent): Promise<boolean> =>
  (await reported.run(db, processorEventRecord.write(one))) === 1;

export async function lockReport({ db }: Ctx, id: string): Promise<ProcessorEvent | null> {
  const row: object | undefined = await db.knex(INBOX).where({ id }).forUpdate().first();
  return row ? processorEventRecord.read(row) : null;
}
export async function updateReport({ db }: Ctx, one: ProcessorEvent): Promise<void> {
  await db.knex(INBOX).where({ id: one.id }).update(processorEventRecord.write(one));
}
/** Reports that wait to be handled, the oldest first. */
export async function listWaiting({ db }: Ctx, now: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(INBOX)
    .where({ status: 'received' })
    .where('next_attempt_at', '<=', now)
    .orderBy(['next_attempt_at', 'id'])
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}
