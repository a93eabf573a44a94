import type { Ctx } from '#kernel/context.ts';
import { raiseCounter, readCounter } from '#kernel/db/counters.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import {
  type Level,
  levelRecord,
  MOST_UNITS,
  type Movement,
  movementRecord,
  type Reservation,
  reservationRecord,
} from './record.ts';

const LEVELS = levelRecord.table;
const RESERVATIONS = reservationRecord.table;

/** Rises when a shopper finds something else in stock than before, in the transaction of the change. */
export const STOCK_COUNTER = 'shop_stock';

/** Its value for the rows of this transaction; others wait for its row until the transaction ends. */
export async function nextVersion(ctx: Ctx): Promise<number> {
  await raiseCounter(ctx, STOCK_COUNTER);
  return (await readCounter(ctx, STOCK_COUNTER)) ?? 0;
}

const heldLevel = statement<{ id: string }, object>((q, p) =>
  q(LEVELS).where('variant_id', p('id')).forUpdate().select('*'),
);

/** What is in stock of a variant, locked until the end of the transaction; null when it does not exist. */
export async function lockLevel({ db }: Ctx, id: string): Promise<Level | null> {
  const row = await heldLevel.first(db, { id });
  return row === undefined ? null : levelRecord.read(row);
}

/** Whether a variant is there for staff: one that was removed and stands in orders keeps its level. */
const variantRow = statement<{ id: string }, { id: string; sku: string; title: string; product_id: string }>(
  (q, p) =>
    q('product_variants')
      .where('id', p('id'))
      .whereNull('deleted_at')
      .select('id', 'sku', 'title', 'product_id'),
);

/** What events tell of a variant; null when it does not exist. */
export const variantOf = async ({ db }: Ctx, id: string) => (await variantRow.first(db, { id })) ?? null;

export async function insertLevels({ db }: Ctx, levels: readonly Level[]): Promise<void> {
  if (levels.length > 0) await db.knex(LEVELS).insert(levels.map((one) => levelRecord.write(one)));
}

const levelColumns = levelRecord.written.filter((name) => name !== 'variant_id' && name !== 'created_at');
const storedLevel = statement<Record<string, unknown>>((q, p) =>
  q(LEVELS)
    .where('variant_id', p('variant_id'))
    .update(p.row(...levelColumns)),
);

/** Stores a level that the transaction has locked. */
export const updateLevel = ({ db }: Ctx, level: Level): Promise<number> =>
  storedLevel.run(db, levelRecord.write(level));

/**
 * The levels of a product's variants count as changed: one of them has come or gone. Whoever holds a level may wait for the
 * counter: it is raised only when all of them are held.
 */
export async function touchLevels(ctx: Ctx, productId: string): Promise<void> {
  const { knex } = ctx.db;
  const own = knex('product_variants').where({ product_id: productId }).select('id');
  await knex(LEVELS)
    .whereIn('variant_id', own.clone())
    .orderBy('variant_id')
    .forUpdate()
    .select('variant_id');
  const version = await nextVersion(ctx);
  await knex(LEVELS).whereIn('variant_id', own).update({ state_version: version });
}

const addedMovement = statement<Record<string, unknown>>((q, p) =>
  q(movementRecord.table).insert(p.row(...movementRecord.written)),
);

export const insertMovement = ({ db }: Ctx, movement: Movement): Promise<number> =>
  addedMovement.run(db, movementRecord.write(movement));

const taken = statement<{ id: string; quantity: number; now: string }, object>((q, p) =>
  q(LEVELS)
    .where('variant_id', p('id'))
    .where('track_inventory', true)
    .whereRaw('(allow_backorder OR on_hand - reserved >= ?)', [p('quantity')])
    .whereRaw('reserved + ? <= ?', [p('quantity'), MOST_UNITS])
    .update({
      reserved: q.raw('reserved + ?', [p('quantity')]),
      updated_at: p('now'),
    })
    .returning('*'),
);

/** Holds units of a tracked variant by one conditional UPDATE; null when there are not so many (storefront-domain 8). */
export async function takeUnits(ctx: Ctx, id: string, quantity: number): Promise<Level | null> {
  const row = await taken.first(ctx.db, { id, quantity, now: ctx.now() });
  return row === undefined ? null : levelRecord.read(row);
}

const addedReservation = insertInto(reservationRecord);
export async function insertReservations({ db }: Ctx, rows: readonly Reservation[]): Promise<void> {
  await Promise.all(rows.map((one) => addedReservation.run(db, reservationRecord.write(one))));
}

export async function updateReservation({ db }: Ctx, one: Reservation): Promise<void> {
  await db.knex(RESERVATIONS).where({ id: one.id }).update(reservationRecord.write(one));
}

const heldOfItem = statement<{ id: string }, object>((q, p) =>
  q(RESERVATIONS).where('order_item_id', p('id')).forUpdate().select('*'),
);
/** Reservations of some items of orders, locked. */
export async function lockItems({ db }: Ctx, orderItemIds: readonly string[]): Promise<Reservation[]> {
  const found = await Promise.all(orderItemIds.map((id) => heldOfItem.first(db, { id })));
  return found.flatMap((row) => (row === undefined ? [] : [reservationRecord.read(row)]));
}

const ended = statement<{ order_id: string; status: string; now: string }, object>((q, p) =>
  q(RESERVATIONS)
    .where('order_id', p('order_id'))
    .where('status', 'held')
    .update({ status: p('status'), updated_at: p('now') })
    .returning('*'),
);

/** Ends what an order holds: each reservation ends once. @returns those that this call has ended */
export const endOfOrder = async (
  ctx: Ctx,
  orderId: string,
  status: Exclude<Reservation['status'], 'held'>,
): Promise<Reservation[]> =>
  (await ended.all(ctx.db, { order_id: orderId, status, now: ctx.now() })).map(reservationRecord.read);

const endedOne = statement<{ id: string; status: string; now: string }, object>((q, p) =>
  q(RESERVATIONS)
    .where('id', p('id'))
    .where('status', 'held')
    .update({ status: p('status'), updated_at: p('now') })
    .returning('*'),
);

/** As `endOfOrder`, of one reservation; null when it has ended already. */
export async function endOne(
  ctx: Ctx,
  id: string,
  status: Exclude<Reservation['status'], 'held'>,
): Promise<Reservation | null> {
  const row = await endedOne.first(ctx.db, { id, status, now: ctx.now() });
  return row === undefined ? null : reservationRecord.read(row);
}

/** Reservations whose time is over, the oldest first. */
export async function listExpired(ctx: Ctx, most: number): Promise<string[]> {
  const rows: { id: string }[] = await ctx.db
    .knex(RESERVATIONS)
    .where({ status: 'held' })
    .where('expires_at', '<=', ctx.now())
    .orderBy(['expires_at', 'id'])
    .limit(most)
    .select('id');
  return rows.map(({ id }) => id);
}

/** Whether orders hold or held some of these variants. */
export async function isReserved({ db }: Ctx, variantIds: readonly string[]): Promise<boolean> {
  const row = await db
    .knex(RESERVATIONS)
    .whereIn('variant_id', [...variantIds])
    .first('id');
  return row !== undefined;
}

/** Whether orders hold or held a variant of a product. */
export async function isProductReserved({ db }: Ctx, productId: string): Promise<boolean> {
  const own = db.knex('product_variants').where({ product_id: productId }).select('id');
  return (await db.knex(RESERVATIONS).whereIn('variant_id', own).first('id')) !== undefined;
}

/** As `stateOf` says it, for all rows at once. */
const STATE = `CASE WHEN NOT track_inventory OR on_hand - reserved > COALESCE(low_stock_threshold, ?) THEN 'in'
  WHEN on_hand - reserved > 0 THEN 'low' WHEN allow_backorder THEN 'backorder' ELSE 'out' END`;

/** Brings the states of all levels in line with the threshold of the settings. @returns how many have changed */
export async function restate({ db }: Ctx, standing: number, version: number): Promise<number> {
  return db
    .knex(LEVELS)
    .where({ track_inventory: true, low_stock_threshold: null })
    .whereNot('state', db.knex.raw(STATE, [standing]))
    .update({ state: db.knex.raw(STATE, [standing]), state_version: version });
}
