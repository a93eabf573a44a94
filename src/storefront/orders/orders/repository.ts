import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  type Order,
  type OrderAddress,
  type OrderAdjustment,
  type OrderEvent,
  type OrderItem,
  type OrderStatus,
  orderAddressRecord,
  orderAdjustmentRecord,
  orderEventRecord,
  orderItemRecord,
  orderRecord,
} from './record.ts';

const ORDERS = orderRecord.table;
const ITEMS = orderItemRecord.table;

const byId = statement<{ id: string }, object>((q, p) => q(ORDERS).where('id', p('id')).select('*'));
const byNumber = statement<{ number: string }, object>((q, p) =>
  q(ORDERS).where('order_number', p('number')).select('*'),
);
const byCart = statement<{ id: string }, object>((q, p) => q(ORDERS).where('cart_id', p('id')).select('*'));
const locked = statement<{ id: string }, object>((q, p) =>
  q(ORDERS).where('id', p('id')).forUpdate().select('*'),
);

const orderIn = (row: object | undefined): Order | null => (row ? orderRecord.read(row) : null);

export const findOrder = async ({ db }: Ctx, id: string) => orderIn(await byId.first(db, { id }));
export const findByNumber = async ({ db }: Ctx, number: string) =>
  orderIn(await byNumber.first(db, { number }));
export const findByCart = async ({ db }: Ctx, id: string) => orderIn(await byCart.first(db, { id }));
/** The order, held until the end of the transaction. */
export const lockOrder = async ({ db }: Ctx, id: string) => orderIn(await locked.first(db, { id }));

const addedOrder = insertInto(orderRecord);
export const insertOrder = ({ db }: Ctx, order: Order): Promise<number> =>
  addedOrder.run(db, orderRecord.write(order));

const kept = ['id', 'created_at'];
const changedOrder = statement<Record<string, unknown>>((q, p) =>
  q(ORDERS)
    .where('id', p('id'))
    .where('status', p('was'))
    .update(p.row(...orderRecord.written.filter((name) => !kept.includes(name)))),
);
/** Stores an order that is still in the state in which it was read. @returns 0 when it is not */
export const updateOrder = ({ db }: Ctx, order: Order, was: OrderStatus): Promise<number> =>
  changedOrder.run(db, { ...orderRecord.write(order), was });

const itemsOfOrder = statement<{ id: string }, object>((q, p) =>
  q(ITEMS).where('order_id', p('id')).orderBy(['position', 'id']).select('*'),
);
export const itemsOf = async ({ db }: Ctx, orderId: string): Promise<OrderItem[]> =>
  (await itemsOfOrder.all(db, { id: orderId })).map(orderItemRecord.read);

const addedItem = insertInto(orderItemRecord);
const addedAdjustment = insertInto(orderAdjustmentRecord);
const addedAddress = insertInto(orderAddressRecord);
const addedEvent = insertInto(orderEventRecord);

/** Each by the statement that is compiled for one: on SQLite as fast as all at once, and Postgres sends them together. */
export async function insertItems({ db }: Ctx, items: readonly OrderItem[]): Promise<void> {
  await Promise.all(items.map((one) => addedItem.run(db, orderItemRecord.write(one))));
}
export async function insertAdjustments({ db }: Ctx, rows: readonly OrderAdjustment[]): Promise<void> {
  await Promise.all(rows.map((one) => addedAdjustment.run(db, orderAdjustmentRecord.write(one))));
}
export async function insertAddresses({ db }: Ctx, rows: readonly OrderAddress[]): Promise<void> {
  await Promise.all(rows.map((one) => addedAddress.run(db, orderAddressRecord.write(one))));
}
export const insertEvent = ({ db }: Ctx, one: OrderEvent): Promise<number> =>
  addedEvent.run(db, orderEventRecord.write(one));

/** Takes everything out of an order that was never placed: it is made anew. */
export async function deleteContents({ db }: Ctx, orderId: string): Promise<void> {
  const own = { order_id: orderId };
  await db.knex(orderAdjustmentRecord.table).where(own).delete();
  await db.knex(ITEMS).where(own).delete();
  await db.knex(orderAddressRecord.table).where(own).delete();
}

const addressesOfOrder = statement<{ id: string }, object>((q, p) =>
  q(orderAddressRecord.table).where('order_id', p('id')).select('*'),
);
export const addressesOf = async ({ db }: Ctx, orderId: string): Promise<OrderAddress[]> =>
  (await addressesOfOrder.all(db, { id: orderId })).map(orderAddressRecord.read);

const adjustmentsOfOrder = statement<{ id: string }, object>((q, p) =>
  q(orderAdjustmentRecord.table).where('order_id', p('id')).orderBy('id').select('*'),
);
export const adjustmentsOf = async ({ db }: Ctx, orderId: string): Promise<OrderAdjustment[]> =>
  (await adjustmentsOfOrder.all(db, { id: orderId })).map(orderAdjustmentRecord.read);

const eventsOfOrder = statement<{ id: string }, object>((q, p) =>
  q(orderEventRecord.table).where('order_id', p('id')).orderBy(['created_at', 'id']).select('*'),
);
/** The history of an order, the oldest first. */
export const historyOf = async ({ db }: Ctx, orderId: string): Promise<OrderEvent[]> =>
  (await eventsOfOrder.all(db, { id: orderId })).map(orderEventRecord.read);

const ordered = statement<{ email: string; customer: string }, { id: string }>((q, p) =>
  q(ORDERS)
    .whereNotNull('placed_at')
    .where((any) => any.where('email_norm', p('email')).orWhere('customer_id', p('customer')))
    .limit(1)
    .select('id'),
);
/** Whether an account or an address has placed an order. '' stands for what is not known. */
export const wasOrdered = async ({ db }: Ctx, customer: string, email: string): Promise<boolean> =>
  (await ordered.first(db, { email, customer })) !== undefined;

const ofCustomer = statement<{ customer: string }, { n: number | string }>((q, p) =>
  q(ORDERS).where('customer_id', p('customer')).whereNotNull('placed_at').count({ n: '*' }),
);
/** How many orders a customer has placed. */
export const countOrdersOf = async ({ db }: Ctx, customer: string): Promise<number> =>
  Number((await ofCustomer.first(db, { customer }))?.n ?? 0);

const madeExpired = statement<{ before: string; most: number }, { id: string }>((q, p) =>
  q(ORDERS)
    .where('status', 'pending')
    .whereNull('placed_at')
    .where('due_at', '<=', p('before'))
    .orderBy('due_at')
    .limit(500)
    .select('id'),
);
/** Orders that were not placed in their time, the oldest first. */
export const listUnplaced = async ({ db }: Ctx, before: string): Promise<string[]> =>
  (await madeExpired.all(db, { before, most: 500 })).map(({ id }) => id);

/** Orders that were placed and of which no money came in their time, the oldest first. */
export async function listUnpaid({ db }: Ctx, before: string): Promise<string[]> {
  const rows: { id: string }[] = await db
    .knex(ORDERS)
    .where({ status: 'pending', paid_cents: 0 })
    .whereNotNull('placed_at')
    .where('due_at', '<=', before)
    .orderBy('due_at')
    .limit(500)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Raises what is refunded of an item, within its bounds. @returns whether there was so much left */
const refundedItem = statement<{ id: string; quantity: number; cents: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .whereRaw('refunded_quantity + ? <= quantity', [p('quantity')])
    .whereRaw('refunded_cents + ? <= total_cents', [p('cents')])
    .update({
      refunded_quantity: q.raw('refunded_quantity + ?', [p('quantity')]),
      refunded_cents: q.raw('refunded_cents + ?', [p('cents')]),
      updated_at: p('now'),
    }),
);
export const takeRefundOfItem = async (
  ctx: Ctx,
  id: string,
  quantity: number,
  cents: number,
): Promise<boolean> => (await refundedItem.run(ctx.db, { id, quantity, cents, now: ctx.now() })) === 1;

const fulfilledItem = statement<{ id: string; orderId: string; quantity: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .where('order_id', p('orderId'))
    .whereRaw('fulfilled_quantity + ? + cancelled_quantity <= quantity', [p('quantity')])
    // What comes back has left.
    .whereRaw('fulfilled_quantity + ? >= return_requested_quantity + returned_quantity', [p('quantity')])
    .update({
      fulfilled_quantity: q.raw('fulfilled_quantity + ?', [p('quantity')]),
      updated_at: p('now'),
    }),
);
/** Units that leave in a shipment, or with a minus come back. @returns whether there were so many */
export const takeFulfilled = async (
  ctx: Ctx,
  orderId: string,
  id: string,
  quantity: number,
): Promise<boolean> => (await fulfilledItem.run(ctx.db, { id, orderId, quantity, now: ctx.now() })) === 1;

const askedBack = statement<{ id: string; orderId: string; quantity: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .where('order_id', p('orderId'))
    .whereRaw('return_requested_quantity + ? >= 0', [p('quantity')])
    .whereRaw(
      'CASE WHEN requires_shipping THEN fulfilled_quantity ELSE quantity - cancelled_quantity END >= return_requested_quantity + returned_quantity + ?',
      [p('quantity')],
    )
    .update({
      return_requested_quantity: q.raw('return_requested_quantity + ?', [p('quantity')]),
      updated_at: p('now'),
    }),
);
/** Units that somebody wants to return, or with a minus does not. @returns whether so many can be returned */
export const takeReturnRequest = async (
  ctx: Ctx,
  orderId: string,
  id: string,
  quantity: number,
): Promise<boolean> => (await askedBack.run(ctx.db, { id, orderId, quantity, now: ctx.now() })) === 1;

const cameBack = statement<{ id: string; orderId: string; quantity: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .where('order_id', p('orderId'))
    .whereRaw('return_requested_quantity >= ?', [p('quantity')])
    .update({
      return_requested_quantity: q.raw('return_requested_quantity - ?', [p('quantity')]),
      returned_quantity: q.raw('returned_quantity + ?', [p('quantity')]),
      updated_at: p('now'),
    }),
);
/** Units that were asked back and have arrived. @returns whether so many were awaited */
export const takeReturned = async (
  ctx: Ctx,
  orderId: string,
  id: string,
  quantity: number,
): Promise<boolean> => (await cameBack.run(ctx.db, { id, orderId, quantity, now: ctx.now() })) === 1;

const cancelledItem = statement<{ id: string; orderId: string; quantity: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .where('order_id', p('orderId'))
    .whereRaw('fulfilled_quantity + cancelled_quantity + ? <= quantity', [p('quantity')])
    .update({
      cancelled_quantity: q.raw('cancelled_quantity + ?', [p('quantity')]),
      updated_at: p('now'),
    }),
);
/** Units that nobody gets any more. @returns whether so many were left to ship */
export const takeCancelled = async (
  ctx: Ctx,
  orderId: string,
  id: string,
  quantity: number,
): Promise<boolean> => (await cancelledItem.run(ctx.db, { id, orderId, quantity, now: ctx.now() })) === 1;

const shippingBack = statement<{ id: string; cents: number; now: string }>((q, p) =>
  q(ORDERS)
    .where('id', p('id'))
    .whereRaw('shipping_refunded_cents + ? >= 0', [p('cents')])
    .whereRaw(
      'shipping_refunded_cents + ? <= shipping_cents - shipping_discount_cents + CASE WHEN prices_include_tax THEN 0 ELSE shipping_tax_cents END',
      [p('cents')],
    )
    .update({
      shipping_refunded_cents: q.raw('shipping_refunded_cents + ?', [p('cents')]),
      updated_at: p('now'),
    }),
);
/** What is refunded of shipping. @returns whether so much was left of it */
export const takeRefundOfShipping = async (ctx: Ctx, id: string, cents: number): Promise<boolean> =>
  (await shippingBack.run(ctx.db, { id, cents, now: ctx.now() })) === 1;

/** Whether a shipment or a refund has a line. */
export async function isNamed({ db }: Ctx, itemId: string): Promise<boolean> {
  for (const table of ['shipment_items', 'refund_items'])
    if (await db.knex(table).where({ order_item_id: itemId }).first('order_item_id')) return true;
  return false;
}
export const deleteAdjustments = ({ db }: Ctx, orderId: string): Promise<number> =>
  db.knex(orderAdjustmentRecord.table).where({ order_id: orderId }).delete();
export async function deleteItems({ db }: Ctx, itemIds: readonly string[]): Promise<void> {
  if (itemIds.length > 0)
    await db
      .knex(ITEMS)
      .whereIn('id', [...itemIds])
      .delete();
}

export async function updateItem({ db }: Ctx, item: OrderItem): Promise<void> {
  await db.knex(ITEMS).where({ id: item.id }).update(orderItemRecord.write(item));
}

/** Gives an order another address of a kind. */
export async function putAddress({ db }: Ctx, address: OrderAddress): Promise<void> {
  const row = orderAddressRecord.write(address);
  const { id: _id, created_at: _since, ...changed } = row;
  await db.knex(orderAddressRecord.table).insert(row).onConflict(['order_id', 'kind']).merge(changed);
}
