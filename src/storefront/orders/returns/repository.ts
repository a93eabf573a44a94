import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  type Return,
  type ReturnItem,
  type ReturnMessage,
  type ReturnReason,
  type ReturnState,
  returnItemRecord,
  returnMessageRecord,
  returnReasonRecord,
  returnRecord,
} from './record.ts';

const RETURNS = returnRecord.table;
const ITEMS = returnItemRecord.table;
const REASONS = returnReasonRecord.table;
const MESSAGES = returnMessageRecord.table;

const returnIn = (row: object | undefined): Return | null => (row ? returnRecord.read(row) : null);

const byId = statement<{ id: string }, object>((q, p) => q(RETURNS).where('id', p('id')).select('*'));
const byNumber = statement<{ number: string }, object>((q, p) =>
  q(RETURNS).where('return_number', p('number')).select('*'),
);
const locked = statement<{ id: string }, object>((q, p) =>
  q(RETURNS).where('id', p('id')).forUpdate().select('*'),
);
const ofOrder = statement<{ id: string }, object>((q, p) =>
  q(RETURNS).where('order_id', p('id')).orderBy(['created_at', 'id']).select('*'),
);
const byOnceKey = statement<{ orderId: string; key: string }, object>((q, p) =>
  q(RETURNS).where('order_id', p('orderId')).where('once_key', p('key')).select('*'),
);
const byExchange = statement<{ id: string }, object>((q, p) =>
  q(RETURNS).where('exchange_order_id', p('id')).select('*'),
);

export const findReturn = async ({ db }: Ctx, id: string) => returnIn(await byId.first(db, { id }));
export const findByNumber = async ({ db }: Ctx, number: string) =>
  returnIn(await byNumber.first(db, { number }));
/** The return, held until the end of the transaction; its order is locked before it. */
export const lockReturn = async ({ db }: Ctx, id: string) => returnIn(await locked.first(db, { id }));
export const findByOnceKey = async ({ db }: Ctx, orderId: string, key: string) =>
  returnIn(await byOnceKey.first(db, { orderId, key }));
/** The return whose goods an order replaces. */
export const findByExchange = async ({ db }: Ctx, id: string) => returnIn(await byExchange.first(db, { id }));
/** The returns of an order, the oldest first. */
export const returnsOf = async ({ db }: Ctx, orderId: string): Promise<Return[]> =>
  (await ofOrder.all(db, { id: orderId })).map(returnRecord.read);

const addedReturn = insertInto(returnRecord);
const addedItem = insertInto(returnItemRecord);
export async function insertReturn({ db }: Ctx, one: Return, items: readonly ReturnItem[]): Promise<void> {
  await addedReturn.run(db, returnRecord.write(one));
  for (const item of items) await addedItem.run(db, returnItemRecord.write(item));
}

const fixed = ['id', 'created_at'];
const changed = statement<Record<string, unknown>>((q, p) =>
  q(RETURNS)
    .where('id', p('id'))
    .where('status', p('was'))
    .update(p.row(...returnRecord.written.filter((name) => !fixed.includes(name)))),
);
/** Stores a return that is still in the state in which it was read. @returns 0 when it is not */
export const updateReturn = ({ db }: Ctx, one: Return, was: ReturnState): Promise<number> =>
  changed.run(db, { ...returnRecord.write(one), was });

const itemsOfReturn = statement<{ id: string }, object>((q, p) =>
  q(ITEMS).where('return_id', p('id')).orderBy('id').select('*'),
);
export const itemsOf = async ({ db }: Ctx, returnId: string): Promise<ReturnItem[]> =>
  (await itemsOfReturn.all(db, { id: returnId })).map(returnItemRecord.read);

export async function updateItem({ db }: Ctx, item: ReturnItem): Promise<void> {
  await db.knex(ITEMS).where({ id: item.id }).update(returnItemRecord.write(item));
}

const messagesOfReturn = statement<{ id: string }, object>((q, p) =>
  q(MESSAGES).where('return_id', p('id')).orderBy(['created_at', 'id']).select('*'),
);
/** What was written about a return, the oldest first. */
export const messagesOf = async ({ db }: Ctx, returnId: string): Promise<ReturnMessage[]> =>
  (await messagesOfReturn.all(db, { id: returnId })).map(returnMessageRecord.read);

const addedMessage = insertInto(returnMessageRecord);
export const insertMessage = ({ db }: Ctx, one: ReturnMessage): Promise<number> =>
  addedMessage.run(db, returnMessageRecord.write(one));

/** Reasons in the order in which they are offered. */
export async function listReasons({ db }: Ctx): Promise<ReturnReason[]> {
  const rows: object[] = await db.knex(REASONS).orderBy(['position', 'id']);
  return rows.map(returnReasonRecord.read);
}
export async function lockReason({ db }: Ctx, id: string): Promise<ReturnReason | null> {
  const row: object | undefined = await db.knex(REASONS).where({ id }).forUpdate().first();
  return row ? returnReasonRecord.read(row) : null;
}
export async function insertReason({ db }: Ctx, one: ReturnReason): Promise<void> {
  await db.knex(REASONS).insert(returnReasonRecord.write(one));
}
export async function updateReason({ db }: Ctx, one: ReturnReason): Promise<void> {
  await db.knex(REASONS).where({ id: one.id }).update(returnReasonRecord.write(one));
}
export async function deleteReason({ db }: Ctx, id: string): Promise<void> {
  await db.knex(REASONS).where({ id }).delete();
}
/** Whether a return names a reason. */
export const isReasonUsed = async ({ db }: Ctx, id: string): Promise<boolean> =>
  (await db.knex(ITEMS).where({ reason_id: id }).first('id')) !== undefined;

/** Approved returns whose goods should have been here before a time. */
export async function listOverdue({ db }: Ctx, before: string, most: number): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(RETURNS)
    .whereIn('status', ['approved', 'in_transit'])
    .where('return_by', '<=', before)
    .orderBy('return_by')
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}
