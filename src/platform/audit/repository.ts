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

const headForUpdate = statement<object, Head>((q) => q('audit_head').select('seq', 'hash').forUpdate());
const headNow = statement<object, { seq: number }>((q) => q('audit_head').select('seq'));
const setHead = statement<{ seq: number; hash: string }>((q, p) =>
  q('audit_head').update(p.row('seq', 'hash')),
);

/** The end of the chain, held until the transaction ends. */
export async function lockHead(ctx: Ctx): Promise<Head> {
  const head = await headForUpdate.first(ctx.db, {});
  if (head) return head;
  throw new Error('audit_head has no row: the audit log cannot be continued');
}

/** The number of the last entry; 0 before the first. */
export const headSequence = async (ctx: Ctx): Promise<number> =>
  Number((await headNow.first(ctx.db, {}))?.seq ?? 0);

/** Rows of one statement: a bulk change would otherwise spend its time on trips. */
const ROWS_TOGETHER = 16;
const numbers = Array.from({ length: ROWS_TOGETHER }, (_, n) => n);
const insertOne = statement<StoredRow>((q, p) => q(TABLE).insert(p.row(...COLUMNS)));
const insertMany = statement<StoredRow>((q, p) =>
  q(TABLE).insert(
    numbers.map((n) => Object.fromEntries(COLUMNS.map((column) => [column, p(`${column}_${n}`)]))),
  ),
);

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
