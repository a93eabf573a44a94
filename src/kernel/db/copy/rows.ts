import type { Db } from '../database.ts';
import { written } from '../statement.ts';
import { type Content, ContentSum, type CopiedRow } from './digest.ts';
import type { CopiedTable } from './tables.ts';

/** Rows of one batch, and about how much text they may have: a batch of long mails must not fill the memory. */
const MOST_ROWS = 500;
const FIRST_ROWS = 100;
const BATCH_CHARACTERS = 500_000;

/** A name of the schema in SQL. */
export const quoted = (name: string): string => `"${name}"`;

/**
 * Reads a table in batches, in whatever order is quick.
 *
 * @param db in a transaction or a snapshot, so that all batches are of one moment
 */
export function readTable(db: Db, table: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
  return db.dialect === 'postgres' ? byCursor(db, table) : byPlace(db, table);
}

async function* byCursor(db: Db, { name, columns }: CopiedTable): AsyncGenerator<CopiedRow[]> {
  const names = columns.map((column) => column.name);
  await db.knex.raw('DECLARE copied NO SCROLL CURSOR FOR SELECT ?? FROM ??', [names, name]);
  for (let size = FIRST_ROWS; ; ) {
    const step = fetches.find(({ most }) => most <= size) ?? ONE;
    const rows = await db.all<CopiedRow>(step.sql, []);
    if (rows.length > 0) yield rows;
    if (rows.length < step.most) break;
    size = nextSize(rows);
  }
  await db.knex.raw('CLOSE copied');
}

/** Each is prepared once; the number of rows cannot be a parameter. */
const fetching = (most: number) => ({ most, sql: written(`FETCH ${most} FROM copied`) });
const ONE = fetching(1);
const fetches = [MOST_ROWS, FIRST_ROWS, 10].map(fetching);

const PLACE = 'copied_place';

/** By the numbers that SQLite gives rows; by the key where rows have none. */
async function* byPlace(db: Db, table: CopiedTable): AsyncGenerator<CopiedRow[]> {
  const { name, columns, key } = table;
  const numbered = await hasNumbers(db, name);
  const order = numbered ? ['rowid'] : key.map(quoted);
  const list = columns.map((column) => quoted(column.name)).join(', ');
  const select = `SELECT ${numbered ? `rowid AS ${PLACE}, ` : ''}${list} FROM ${quoted(name)}`;
  const end = `ORDER BY ${order.join(', ')} LIMIT ?`;
  const first = written(`${select} ${end}`);
  const after = `(${order.join(', ')}) > (${order.map(() => '?').join(', ')})`;
  const more = written(`${select} WHERE ${after} ${end}`);
  let place: unknown[] | null = null;
  for (let size = FIRST_ROWS; ; ) {
    const rows: CopiedRow[] = await (place === null
      ? db.all<CopiedRow>(first, [size])
      : db.all<CopiedRow>(more, [...place, size]));
    if (rows.length > 0) yield rows;
    if (rows.length < size) break;
    const last = rows.at(-1) as CopiedRow;
    place = numbered ? [last[PLACE]] : key.map((column) => last[column]);
    size = nextSize(rows);
  }
}

async function hasNumbers({ knex }: Db, name: string): Promise<boolean> {
  const [row]: { wr: number }[] = await knex.raw(
    "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
    [name],
  );
  return row?.wr === 0;
}

/** So many rows as those were long. */
function nextSize(rows: readonly CopiedRow[]): number {
  let characters = 0;
  for (const row of rows)
    for (const value of Object.values(row)) characters += typeof value === 'string' ? value.length : 8;
  const fitting = Math.floor((rows.length * BATCH_CHARACTERS) / (characters + 1));
  return Math.max(1, Math.min(MOST_ROWS, fitting, rows.length * 4));
}

/** Counts a table's rows. */
export async function countRows({ knex }: Db, { name }: Pick<CopiedTable, 'name'>): Promise<number> {
  const [found] = await knex(name).count({ rows: '*' });
  return Number(found?.rows ?? 0);
}

/** What a table holds; reads all of it. */
export async function contentOf(db: Db, table: CopiedTable): Promise<Content> {
  const sum = new ContentSum(table);
  for await (const rows of readTable(db, table)) for (const row of rows) sum.add(row);
  return sum.content();
}
