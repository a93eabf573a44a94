import type { Ctx } from '#kernel/context.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import type { Owner } from './owner.ts';
import {
  type Cart,
  type CartCode,
  type CartItem,
  cartCodeRecord,
  cartItemRecord,
  cartRecord,
  type Seen,
} from './record.ts';

const CARTS = cartRecord.table;
const ITEMS = cartItemRecord.table;
const CODES = cartCodeRecord.table;

const bySession = statement<{ key: string }, object>((q, p) =>
  q(CARTS).where('session_key', p('key')).where('status', 'active').select('*'),
);
const byCustomer = statement<{ key: string }, object>((q, p) =>
  q(CARTS).where('customer_id', p('key')).where('status', 'active').select('*'),
);

/** The active cart of somebody, or null. */
export async function findCart({ db }: Ctx, { customerId, sessionKey }: Owner): Promise<Cart | null> {
  const key = customerId ?? sessionKey;
  if (key === null) return null;
  const row = await (customerId === null ? bySession : byCustomer).first(db, { key });
  return row ? cartRecord.read(row) : null;
}

const bumpedBySession = statement<{ key: string; now: string }, object>((q, p) =>
  q(CARTS)
    .where('session_key', p('key'))
    .where('status', 'active')
    .update({
      last_activity_at: p('now'),
      updated_at: p('now'),
      version: q.raw('version + 1'),
    })
    .returning('*'),
);
const bumpedByCustomer = statement<{ key: string; now: string }, object>((q, p) =>
  q(CARTS)
    .where('customer_id', p('key'))
    .where('status', 'active')
    .update({
      last_activity_at: p('now'),
      updated_at: p('now'),
      version: q.raw('version + 1'),
    })
    .returning('*'),
);

/** Locks the active cart of somebody by raising its version; null where there is none. */
export async function takeCart(ctx: Ctx, { customerId, sessionKey }: Owner): Promise<Cart | null> {
  const key = customerId ?? sessionKey;
  if (key === null) return null;
  const by = customerId === null ? bumpedBySession : bumpedByCustomer;
  const row = await by.first(ctx.db, { key, now: ctx.now() });
  return row ? cartRecord.read(row) : null;
}

const claimed = statement<{ id: string; version: number; now: string }, object>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .where('status', 'active')
    .where('version', p('version'))
    .update({ version: q.raw('version + 1'), updated_at: p('now') })
    .returning('*'),
);
/** Locks a cart as it was seen, by raising its version; null when it has changed or ended (storefront-domain 8.4a). */
export async function claimCart(ctx: Ctx, id: string, version: number): Promise<Cart | null> {
  const row = await claimed.first(ctx.db, { id, version, now: ctx.now() });
  return row ? cartRecord.read(row) : null;
}

const locked = statement<{ id: string }, object>((q, p) =>
  q(CARTS).where('id', p('id')).forUpdate().select('*'),
);
/** A cart by its id, held until the end of the transaction. */
export async function lockCart({ db }: Ctx, id: string): Promise<Cart | null> {
  const row = await locked.first(db, { id });
  return row ? cartRecord.read(row) : null;
}

const rekeyed = statement<{ from: string; to: string }>((q, p) =>
  q(CARTS)
    .where('session_key', p('from'))
    .where('status', 'active')
    .update({ session_key: p('to') }),
);
/** The same browser goes by another key. */
export const rekey = ({ db }: Ctx, from: string, to: string): Promise<number> =>
  rekeyed.run(db, { from, to });

const added = statement<Record<string, unknown>>((q, p) =>
  q(CARTS)
    .insert(p.row(...cartRecord.written))
    .onConflict()
    .ignore(),
);
/** @returns false where its owner has a cart already */
export const insertCart = async ({ db }: Ctx, cart: Cart): Promise<boolean> =>
  (await added.run(db, cartRecord.write(cart))) === 1;

const changed = statement<Record<string, unknown>>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .update(p.row(...cartRecord.written.filter((name) => name !== 'id' && name !== 'created_at'))),
);
/** Stores a cart that the transaction has locked. */
export const updateCart = ({ db }: Ctx, cart: Cart): Promise<number> =>
  changed.run(db, cartRecord.write(cart));

const noted = statement<{ id: string; seen: string }>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .update({ seen: p('seen') }),
);
export const noteSeen = ({ db }: Ctx, id: string, seen: Seen): Promise<number> =>
  noted.run(db, { id, seen: JSON.stringify(seen) });

const addedItem = insertInto(cartItemRecord);
export const insertItem = ({ db }: Ctx, item: CartItem): Promise<number> =>
  addedItem.run(db, cartItemRecord.write(item));

const counted = statement<{ id: string; quantity: number; now: string }>((q, p) =>
  q(ITEMS)
    .where('id', p('id'))
    .update({ quantity: p('quantity'), updated_at: p('now') }),
);
export const setQuantity = (ctx: Ctx, id: string, quantity: number): Promise<number> =>
  counted.run(ctx.db, { id, quantity, now: ctx.now() });

const removed = statement<{ id: string }>((q, p) => q(ITEMS).where('id', p('id')).delete());
export const deleteItem = ({ db }: Ctx, id: string): Promise<number> => removed.run(db, { id });

/** Moves a line into another cart. */
export async function moveItem({ db }: Ctx, id: string, cartId: string, position: number): Promise<void> {
  await db.knex(ITEMS).where({ id }).update({ cart_id: cartId, position });
}

const emptied = statement<{ id: string }>((q, p) => q(ITEMS).where('cart_id', p('id')).delete());
const uncoded = statement<{ id: string }>((q, p) => q(CODES).where('cart_id', p('id')).delete());
/** Takes every line and every code out of a cart. */
export async function emptyCart({ db }: Ctx, id: string): Promise<void> {
  await emptied.run(db, { id });
  await uncoded.run(db, { id });
}

const codesOfCart = statement<{ id: string }, object>((q, p) =>
  q(CODES).where('cart_id', p('id')).orderBy(['position', 'code_norm']).select('*'),
);
/** The codes of a cart in the order in which they were entered. */
export const codesOf = async ({ db }: Ctx, id: string): Promise<CartCode[]> =>
  (await codesOfCart.all(db, { id })).map(cartCodeRecord.read);

/** A code that the cart has already stays as it is. */
export async function insertCode({ db }: Ctx, code: CartCode): Promise<void> {
  await db
    .knex(CODES)
    .insert(cartCodeRecord.write(code))
    .onConflict(['cart_id', 'kind', 'code_norm'])
    .ignore();
}

/** @returns how many were there */
export const deleteCode = (
  { db }: Ctx,
  cartId: string,
  kind: CartCode['kind'],
  codeNorm: string,
): Promise<number> => db.knex(CODES).where({ cart_id: cartId, kind, code_norm: codeNorm }).delete();

/** Ends carts that nobody touched since a time. @returns how many; at most `most` */
export async function expireBefore({ db }: Ctx, before: string, now: string, most: number): Promise<number> {
  const old = db
    .knex(CARTS)
    .where({ status: 'active' })
    .where('last_activity_at', '<=', before)
    .orderBy('last_activity_at')
    .limit(most)
    .select('id');
  return db
    .knex(CARTS)
    .whereIn('id', old)
    .where({ status: 'active' })
    .update({ status: 'expired', updated_at: now });
}

/** Removes carts that ended without an order before a time. @returns how many; at most `most` */
export async function deleteEnded({ db }: Ctx, before: string, most: number): Promise<number> {
  const old = db
    .knex(CARTS)
    .whereIn('status', ['expired', 'merged'])
    .whereNull('order_id')
    .where('updated_at', '<=', before)
    .limit(most)
    .select('id');
  return db.knex(CARTS).whereIn('id', old).delete();
}

const own = statement<{ id: string; key: string }, object>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .where((any) => any.where('session_key', p('key')).orWhere('customer_id', p('key')))
    .select('*'),
);
/** A cart of somebody by its id, in whatever state; null for another one's. */
export async function ownCart(
  { db }: Ctx,
  { customerId, sessionKey }: Owner,
  id: string,
): Promise<Cart | null> {
  const row = await own.first(db, { id, key: customerId ?? sessionKey ?? '' });
  return row ? cartRecord.read(row) : null;
}

const ordered = statement<{ key: string; since: string }, object>((q, p) =>
  q(CARTS)
    .where((any) => any.where('session_key', p('key')).orWhere('customer_id', p('key')))
    .where('status', 'converted')
    .where('updated_at', '>', p('since'))
    .orderBy('updated_at', 'desc')
    .limit(1)
    .select('*'),
);
/** The cart that somebody ordered last, if that was after a time. */
export async function lastOrderedSince(
  { db }: Ctx,
  { customerId, sessionKey }: Owner,
  since: string,
): Promise<Cart | null> {
  const row = await ordered.first(db, { key: customerId ?? sessionKey ?? '', since });
  return row ? cartRecord.read(row) : null;
}

const anyItem = statement<{ id: string }, { id: string }>((q, p) =>
  q(ITEMS).where('cart_id', p('id')).limit(1).select('id'),
);
export const hasLines = async ({ db }: Ctx, id: string): Promise<boolean> =>
  (await anyItem.first(db, { id })) !== undefined;

const converted = statement<{ id: string; now: string }>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .where('status', 'active')
    .update({ status: 'converted', updated_at: p('now') }),
);
/** It was ordered: its owner begins another one. */
export const convert = (ctx: Ctx, id: string): Promise<number> =>
  converted.run(ctx.db, { id, now: ctx.now() });

const freed = statement<{ id: string; orderId: string; now: string }>((q, p) =>
  q(CARTS)
    .where('id', p('id'))
    .where('order_id', p('orderId'))
    .update({ order_id: null, version: q.raw('version + 1'), updated_at: p('now') }),
);
/** Its order has ended without being placed: it can be ordered again. */
export const free = (ctx: Ctx, id: string, orderId: string): Promise<number> =>
  freed.run(ctx.db, { id, orderId, now: ctx.now() });

/** Gives the carts of one customer to another one. */
export async function moveCarts({ db }: Ctx, fromId: string, toId: string): Promise<void> {
  await db.knex(CARTS).where({ customer_id: fromId }).update({ customer_id: toId });
}
