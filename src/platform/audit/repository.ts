import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { auditRecord } from './record.ts';

const TABLE = auditRecord.table;

/** Names of the columns in the database, in the order in which they are hashed; the two hashes come last. */
export const COLUMNS = Object.keys(auditRecord.columns).map((name) => auditRecord.nameOf(name as 'seq'));

/** A row as it is stored, JSON as its text. */
export type StoredRow = Record<string, string | number | null>;

/** The last row of the chain. */
export interface Head {
  readonly seq: number;
  /** Empty before the first row. */
  readonly hash: string;
}

const headNow = statement<object, Head>((q) => q('audit_head').select('seq', 'hash'));
const headForUpdate = statement<object, Head>((q) => q('audit_head').select('seq', 'hash').forUpdate());
const setHead = statement<{ seq: number; hash: string }>((q, p) =>
  q('audit_head').update(p.row('seq', 'hash')),
);

/** The end of the chain, held until the transaction ends. */
export async function lockHead(ctx: Ctx): Promise<Head> {
  return (await headForUpdate.first(ctx.db, {})) ?? lost();
}

/** The end of the chain at this moment. */
export const readHead = async (ctx: Ctx): Promise<Head> => (await headNow.first(ctx.db, {})) ?? lost();

function lost(): never {
  throw new Error('audit_head has no row: the audit log cannot be continued');
}

/** Rows of one statement: a bulk change would otherwise spend its time on trips. */
const ROWS_TOGETHER = 16;
const numbers = Array.from({ length: ROWS_TOGETHER }, (_, n) => n);
const insertOne = statement<StoredRow>((q, p) => q(TABLE).insert(p.row(...COLUMNS)));
const insertMany = statement<StoredRow>((q, p) =>
  q(TABLE).insert(
    numbers.map((n) => Object.fromEntries(COLUMNS.map((column) => [column, p(`${column}_${n}`)]))),
  ),
);

const moveHead = statement<{ knownSeq: number; knownHash: string; seq: number; hash: string }>((q, p) =>
  q('audit_head')
    .where({ seq: p('knownSeq'), hash: p('knownHash') })
    .update(p.row('seq', 'hash')),
);
/** On Postgres the head and the row share one trip. The columns stand in the order of the table, which never changes. */
const moveHeadAndInsert = statement<StoredRow>((q, p) =>
  q(TABLE)
    .with(
      'moved',
      q('audit_head')
        .where({ seq: p('knownSeq'), hash: p('knownHash') })
        .update({ seq: p('seq'), hash: p('hash') })
        .returning('seq'),
    )
    .insert(q.from('moved').select(COLUMNS.map((column) => q.raw('?', [p(column)])))),
);

/**
 * Appends one row, if the end of the chain is still where the row continues it.
 *
 * @param known the end that it was joined to, as this process remembers it
 * @returns false when somebody else has moved the end: nothing was written
 */
export async function appendAfter(ctx: Ctx, known: Head, row: StoredRow, head: Head): Promise<boolean> {
  const place = { knownSeq: known.seq, knownHash: known.hash };
  if (!ctx.db.holdsWriteLock) return (await moveHeadAndInsert.run(ctx.db, { ...row, ...place })) === 1;
  if ((await moveHead.run(ctx.db, { ...place, seq: head.seq, hash: head.hash })) === 0) return false;
  await insertOne.run(ctx.db, row);
  return true;
}

/** Appends rows to a chain whose head is held, and makes the last of them the head. */
export async function append(ctx: Ctx, rows: readonly StoredRow[], head: Head): Promise<void> {
  const left = [...rows];
  const written: Promise<number>[] = [];
  while (left.length >= ROWS_TOGETHER) {
    const numbered = left
      .splice(0, ROWS_TOGETHER)
      .flatMap((row, n) => COLUMNS.map((column) => [`${column}_${n}`, row[column] ?? null]));
    written.push(insertMany.run(ctx.db, Object.fromEntries(numbered)));
  }
  for (const row of left) written.push(insertOne.run(ctx.db, row));
  // Sent together: on Postgres they share one trip.
  await Promise.all([...written, setHead.run(ctx.db, { seq: head.seq, hash: head.hash })]);
}

/** The most rows that `listAfter` answers. */
export const ROWS_OF_A_WALK = 1000;
const rowsAfter = statement<{ seq: number }, StoredRow>((q, p) =>
  q(TABLE).where('seq', '>', p('seq')).orderBy('seq').limit(ROWS_OF_A_WALK),
);

/** The next rows of the chain, as they are stored. */
export const listAfter = (ctx: Ctx, seq: number): Promise<StoredRow[]> => rowsAfter.all(ctx.db, { seq });

/** The row of the chain that says that it was cut up to a number, or null. */
export async function findCut(ctx: Ctx, action: string, through: number): Promise<{ hash: string } | null> {
  const rows: { details: string }[] = await ctx.db
    .knex(TABLE)
    .where({ action })
    .orderBy('seq', 'desc')
    .select('details');
  const cuts = rows.map(({ details }) => JSON.parse(details) as { through: number; hash: string });
  return cuts.find((cut) => cut.through === through) ?? null;
}

/** The last of the oldest rows that are older than a time. @param most rows that are looked at */
export async function findLastBefore(ctx: Ctx, before: string, most: number): Promise<Head | null> {
  const rows: { seq: number; hash: string; at: string }[] = await ctx.db
    .knex(TABLE)
    .orderBy('seq')
    .limit(most)
    .select('seq', 'hash', 'at');
  const kept = rows.findIndex(({ at }) => at >= before);
  return (kept === -1 ? rows : rows.slice(0, kept)).at(-1) ?? null;
}

/** Removes the rows up to a number; the head, which is held, says so to the trigger while it happens. */
export async function removeThrough(ctx: Ctx, seq: number): Promise<number> {
  const { knex } = ctx.db;
  await knex('audit_head').update({ cut_through: seq });
  const rows = await knex(TABLE).where('seq', '<=', seq).delete();
  await knex('audit_head').update({ cut_through: 0 });
  return rows;
}
