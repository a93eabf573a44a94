import type { Database, Db } from '../database.ts';
import { type Content, ContentSum, type CopiedRow, isSame } from './digest.ts';
import { contentOf, countRows, readTable } from './rows.ts';
import { type CopiedTable, describeTables, withReferring } from './tables.ts';
import { UnstorableRow, unstorableIn } from './unstorable.ts';
import { emptyTables, withoutReferences, writerOf } from './writing.ts';

/** A table of a copy. */
export interface TableCopy {
  readonly name: string;
  readonly rows: number;
  /** Whether the copy has the same rows: the same number of them, and the same contents. */
  readonly checksumOk: boolean;
}

/** What is to be copied. */
export interface CopyPlan {
  readonly tables: readonly (CopiedTable & { readonly rows: number })[];
  /** Tables of the source that are no part of the program's schema. */
  readonly others: readonly string[];
}

/** What is copied, at one moment. @param source in a snapshot; @param target with the same migrations as the source */
export async function planCopy(source: Db, target: Db | null): Promise<CopyPlan> {
  const inSource = await describeTables(source);
  const inTarget = target && (await describeTables(target));
  const shared = inTarget ? inSource.filter((table) => isIn(inTarget, table)) : inSource;
  const missing = inTarget?.filter(({ name }) => !shared.some((table) => table.name === name)) ?? [];
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    throw new Error(
      `source and target do not have the same columns in ${names}; appctl migrate verify compares them`,
    );
  }
  const tables: (CopiedTable & { rows: number })[] = [];
  for (const table of shared) tables.push({ ...table, rows: await countRows(source, table) });
  const others = inSource.filter((table) => !shared.includes(table)).map(({ name }) => name);
  return { tables, others };
}

const isIn = (tables: readonly CopiedTable[], { name, columns }: CopiedTable): boolean => {
  const same = tables.find((table) => table.name === name);
  return JSON.stringify(same?.columns) === JSON.stringify(columns);
};

export interface CopyOptions {
  /** Keeps the tables of the target that hold the same as those of the source. */
  readonly keepSame: boolean;
  /** Told how many rows are copied. */
  onProgress(rows: number): void;
}

/**
 * Copies tables, each in a transaction of its own that also reads it back, and compares the contents.
 *
 * @param source in a snapshot
 * @throws UnstorableRow; the errors of either database
 */
export async function copyTables(
  source: Db,
  target: Database,
  { tables }: CopyPlan,
  { keepSame, onProgress }: CopyOptions,
): Promise<TableCopy[]> {
  const kept = keepSame ? await sameTables(source, target, tables) : new Set<string>();
  const changed = new Set(tables.map(({ name }) => name).filter((name) => !kept.has(name)));
  const emptied = withReferring(tables, changed);
  await target.transaction(async (db) => {
    await withoutLimits(db);
    await emptyTables(db, emptied);
  });
  let done = 0;
  const copies: TableCopy[] = [];
  for (const table of tables) {
    const isCopied = emptied.includes(table);
    const copy = isCopied
      ? await copyTable(source, target, table, (rows) => onProgress(done + rows))
      : { name: table.name, rows: table.rows, checksumOk: true };
    done += copy.rows;
    onProgress(done);
    copies.push(copy);
  }
  return copies;
}

/** Which tables of the target hold the same as those of the source. */
async function sameTables(
  source: Db,
  target: Database,
  tables: CopyPlan['tables'],
): Promise<ReadonlySet<string>> {
  const same = new Set<string>();
  await target.snapshot(async (db) => {
    for (const table of tables) {
      if ((await countRows(db, table)) !== table.rows) continue;
      if (await holdSame(source, db, table)) same.add(table.name);
    }
  });
  return same;
}

async function holdSame(source: Db, target: Db, table: CopiedTable): Promise<boolean> {
  try {
    return isSame(await contentOf(source, table), await contentOf(target, table));
  } catch (error) {
    // JSON that is none: writing it names the row.
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** A table of millions of rows takes longer than any statement of the program may. */
async function withoutLimits({ dialect, knex }: Db): Promise<void> {
  if (dialect !== 'postgres') return;
  await knex.raw('SET LOCAL statement_timeout = 0');
  await knex.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
}

async function copyTable(
  source: Db,
  target: Database,
  table: CopiedTable,
  onRows: (rows: number) => void,
): Promise<TableCopy> {
  const write = writerOf(target.dialect, table);
  return target.transaction(async (db) => {
    const read = new ContentSum(table);
    await withoutLimits(db);
    await withoutReferences(db, table, async () => {
      for await (const rows of readTable(source, table)) {
        try {
          for (const row of rows) read.add(row);
          await write(db, rows);
        } catch (error) {
          refuse(table, rows, error);
        }
        onRows(read.content().rows);
      }
    });
    const content: Content = read.content();
    return { name: table.name, rows: content.rows, checksumOk: isSame(content, await contentOf(db, table)) };
  });
}

/** @throws UnstorableRow when a value is the reason; else what was thrown */
function refuse(table: CopiedTable, rows: readonly CopiedRow[], error: unknown): never {
  const found = unstorableIn(table, rows, error);
  throw found ? new UnstorableRow(table, found) : error;
}
