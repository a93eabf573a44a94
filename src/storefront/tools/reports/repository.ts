import type { Ctx } from '#kernel/context.ts';
import { columnName } from '#kernel/db/record.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type Fact, MEASURE_NAMES, MEASURES, type MeasureName, summed } from './measures.ts';
import {
  type Counted,
  changeRecord,
  countedRecord,
  dailyRecords,
  type ReportState,
  reportStateRecord,
} from './record.ts';

const STATE = reportStateRecord.table;
const CHANGES = changeRecord.table;
const COUNTED = countedRecord.table;
const NAME = 'orders';

const noted = insertInto(changeRecord);
/** Notes that an order has changed, in the transaction of the change. A row of its own: no order waits for another one. */
export const noteChange = (ctx: Ctx, orderId: string): Promise<number> =>
  noted.run(ctx.db, changeRecord.write({ id: ctx.newId(ids.reportChange), orderId, createdAt: ctx.now() }));

const stateRow = statement<Record<never, never>, object>((q) =>
  q(STATE).where('name', q.raw("'orders'")).select('*'),
);
/** @returns null where nothing was ever counted */
export async function findState({ db }: Ctx): Promise<ReportState | null> {
  const row = await stateRow.first(db, {});
  return row ? reportStateRecord.read(row) : null;
}

/** The state, held until the end of the transaction: one process at a time writes the tables. */
export async function lockState(ctx: Ctx): Promise<ReportState> {
  const { knex } = ctx.db;
  const empty: ReportState = {
    name: NAME,
    zone: '',
    round: 0,
    version: 0,
    afterPlacedAt: null,
    afterId: null,
    done: 0,
    total: 0,
    startedAt: null,
    createdAt: ctx.now(),
  };
  await knex(STATE).insert(reportStateRecord.write(empty)).onConflict('name').ignore();
  const row: object = await knex(STATE).where({ name: NAME }).forUpdate().first();
  return reportStateRecord.read(row);
}

/** Stores the state with the next version. */
export async function putState({ db }: Ctx, state: ReportState): Promise<void> {
  const { createdAt: _, ...values } = { ...state, version: state.version + 1 };
  await db.knex(STATE).where({ name: NAME }).update(reportStateRecord.part(values));
}

/** A change that is not counted yet. */
export interface Change {
  readonly id: string;
  readonly orderId: string;
}

/** Changes that wait to be counted, the oldest first. */
export async function listChanges({ db }: Ctx, most: number): Promise<Change[]> {
  const rows: { id: string; order_id: string }[] = await db
    .knex(CHANGES)
    .orderBy('id')
    .limit(most)
    .select('id', 'order_id');
  return rows.map(({ id, order_id: orderId }) => ({ id, orderId }));
}

/** When the oldest change was made that waits to be counted; null while none does. */
export async function oldestChange({ db }: Ctx): Promise<string | null> {
  const row = await db.knex(CHANGES).orderBy('id').first('created_at');
  return row ? String(row.created_at) : null;
}

/** These were counted; others of the same orders may have come meanwhile, and stay. */
export async function deleteChanges({ db }: Ctx, changeIds: readonly string[]): Promise<void> {
  await db
    .knex(CHANGES)
    .whereIn('id', [...changeIds])
    .delete();
}

/** What the tables hold of some orders. */
export async function countedOf({ db }: Ctx, orderIds: readonly string[]): Promise<Counted[]> {
  const rows: object[] = await db.knex(COUNTED).whereIn('order_id', [...orderIds]);
  return rows.map(countedRecord.read);
}

/** The next orders that were counted, by their ids. */
export async function nextCounted({ db }: Ctx, after: string, most: number): Promise<Counted[]> {
  const rows: object[] = await db.knex(COUNTED).where('order_id', '>', after).orderBy('order_id').limit(most);
  return rows.map(countedRecord.read);
}

export async function putCounted(ctx: Ctx, counted: readonly Counted[]): Promise<void> {
  if (counted.length === 0) return;
  const createdAt = ctx.now();
  await ctx.db
    .knex(COUNTED)
    .insert(counted.map((one) => countedRecord.write({ ...one, createdAt })))
    .onConflict('order_id')
    .merge(['round', 'is_new', 'facts']);
}

/** What an earlier round counted and this one has not found is of orders that are no more. */
export async function deleteCountedBefore({ db }: Ctx, round: number): Promise<void> {
  await db.knex(COUNTED).where('round', '<', round).delete();
}

/** SQLite takes 32,766 values in a statement, and a row has at most 14. */
const ROWS_AT_ONCE = 500;

/** Adds to the rows of days, and to those of their months. */
export async function addFacts(ctx: Ctx, facts: readonly Fact[]): Promise<void> {
  for (const measure of MEASURE_NAMES) {
    const days = facts.filter(([of]) => of === measure);
    const months = summed(days.map(([of, day, ...rest]): Fact => [of, day.slice(0, 7), ...rest]));
    await addRows(ctx, measure, 'day', days);
    await addRows(ctx, measure, 'month', months);
  }
}

async function addRows(
  { db: { knex } }: Ctx,
  measure: MeasureName,
  grain: 'day' | 'month',
  facts: readonly Fact[],
): Promise<void> {
  const { table, key } = dailyRecords[measure];
  const keys = MEASURES[measure].keys.map(columnName);
  const sums = MEASURES[measure].sums.map(columnName);
  const added = Object.fromEntries(
    sums.map((name) => [name, knex.raw('?? + excluded.??', [`${table}.${name}`, name])]),
  );
  const rows = facts.map(([, period, currency, values, amounts]) => ({
    grain,
    period,
    currency,
    ...Object.fromEntries(keys.map((name, at) => [name, values[at] ?? ''])),
    ...Object.fromEntries(sums.map((name, at) => [name, amounts[at] ?? 0])),
  }));
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await knex(table)
      .insert(rows.slice(from, from + ROWS_AT_ONCE))
      .onConflict([...key])
      .merge(added);
}

/** For counting all orders again. */
export async function emptyTables({ db: { knex } }: Ctx): Promise<void> {
  for (const measure of MEASURE_NAMES) await knex(dailyRecords[measure].table).delete();
}
