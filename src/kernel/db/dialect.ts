import type { DialectName, Knex } from './database.ts';

/** The only file that asks which database is underneath; everything else is told by these functions. */

/** `sqlite:PATH` or `postgres://…`; anything else is refused. */
export function dialectOf(url: string): DialectName {
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgres';
  if (url.startsWith('sqlite:')) return 'sqlite';
  throw new Error(`database url must start with sqlite: or postgres://, not ${url.split(':')[0]}:`);
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** A row with the same natural key exists already. */
export const isUniqueViolation = (error: unknown): boolean =>
  ['23505', 'SQLITE_CONSTRAINT_UNIQUE', 'SQLITE_CONSTRAINT_PRIMARYKEY'].includes(codeOf(error));

/** A row that is still referred to cannot go, or a row refers to nothing. */
export const isForeignKeyViolation = (error: unknown): boolean =>
  ['23503', '23001', 'SQLITE_CONSTRAINT_FOREIGNKEY'].includes(codeOf(error)) ||
  // SQLite runs ON DELETE RESTRICT as a trigger; only the text tells it from a trigger of our own.
  (codeOf(error) === 'SQLITE_CONSTRAINT_TRIGGER' &&
    /FOREIGN KEY constraint failed$/.test((error as Error).message));

/** Another process holds SQLite's write lock at this moment. */
export const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

/** Postgres gave this transaction up in favour of another: the whole use case is repeated. */
export const isSerializationFailure = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error));

/** The database or its disk is away, as opposed to a statement that is wrong. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE|EHOSTUNREACH)/.test(code) ||
    /^(08|57P)/.test(code) ||
    /^(28|3D)000$/.test(code) ||
    /^(53[123]00|58030|25006|XX00[12])$/.test(code) ||
    /^SQLITE_(FULL|IOERR|CANTOPEN|READONLY|NOTADB|CORRUPT)/.test(code)
  );
}

/** No room on the disk: of one statement, after which its session goes on as on any other error. */
const isFull = (error: unknown): boolean => codeOf(error) === '53100';

/** The session in which it happened is of no more use. */
export const endsSession = (error: unknown): boolean => isUnavailable(error) && !isFull(error);

/** Column type of an ISO time: text that sorts by bytes on both databases. */
export const timeColumn = (dialect: DialectName): string =>
  dialect === 'postgres' ? 'text COLLATE "C"' : 'text';

/**
 * CHECK that a column holds an integer within bounds. SQLite's columns are untyped and `'abc' >= 0`
 * is true there, so the type is part of the check (reliability M1).
 */
export function integerCheck(dialect: DialectName, column: string, min: number, max?: number): string {
  const range = max === undefined ? `${column} >= ${min}` : `${column} BETWEEN ${min} AND ${max}`;
  const typed = dialect === 'sqlite' ? `typeof(${column}) = 'integer' AND ${range}` : range;
  return `${column} IS NULL OR (${typed})`;
}

/**
 * Ends the CREATE TABLE of a table whose rows stand in the order of its primary key. SQLite keeps others twice, as rows
 * and in the index of the key; Postgres has no such table.
 */
export const inKeyOrder = (dialect: DialectName): string => (dialect === 'sqlite' ? ' WITHOUT ROWID' : '');

/**
 * Statements that forbid changing or deleting rows of an append-only table.
 *
 * @param mayGo condition on `OLD` under which a row may be deleted all the same
 */
export function appendOnlyTriggers(dialect: DialectName, table: string, mayGo = '1 = 0'): string[] {
  if (dialect === 'sqlite') {
    const refuse = `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`;
    return [
      `CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table} ${refuse}`,
      `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} WHEN NOT (${mayGo}) ${refuse}`,
    ];
  }
  const guard = `${table}_append_only`;
  return [
    `CREATE FUNCTION ${guard}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'DELETE' AND TG_LEVEL = 'ROW' THEN IF ${mayGo} THEN RETURN OLD; END IF; END IF;
      RAISE EXCEPTION '${table} is append-only'; END $$`,
    `CREATE TRIGGER ${guard} BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${guard}()`,
    `CREATE TRIGGER ${guard}_whole BEFORE TRUNCATE ON ${table} EXECUTE FUNCTION ${guard}()`,
  ];
}

/** What is left of those statements when their table was dropped, and goes too. */
export const dropAppendOnly = (dialect: DialectName, table: string): string[] =>
  dialect === 'postgres' ? [`DROP FUNCTION ${table}_append_only()`] : [];

/**
 * A LIKE pattern that finds `text` anywhere, its wildcards escaped with a backslash. Case is for the database to fold,
 * on both sides alike: `lower(column) LIKE lower(?) ESCAPE '\\'`. Postgres folds what its locale knows.
 */
export const containsPattern = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/**
 * SQL that is true where a column holds a text, or begins with it, in whatever case; it has two bindings, the name of the
 * column and the text between wildcards. SQLite's own LIKE folds ASCII, eight times as fast as through a function.
 */
export function likeSql(query: Knex.QueryBuilder, text: string): string {
  const isPlain = query.client.dialect !== 'postgresql' && isAscii(text);
  return isPlain ? "?? LIKE ? ESCAPE '\\'" : "lower(??) LIKE lower(?) ESCAPE '\\'";
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/**
 * SQL whose plan does not depend on the values that are bound to it. Since 3.47 SQLite looks at the value of a
 * plain `x = ?` while it plans a join, and therefore prepares the statement anew at every call: 27 µs against 3 µs
 * for a two-table look-up. A unary plus leaves the value as it is and keeps the plan (decision 0007).
 */
export const reusablePlan = (dialect: DialectName, sql: string): string =>
  dialect === 'sqlite' ? sql.replaceAll(/(=|<|>|\bis) \?/gi, '$1 +?') : sql;

/**
 * SQL of a column by which SQLite looks nothing up: it takes the index that bounds a column, also where one in the order of
 * the groups spares sorting all rows. Postgres counts what each costs.
 */
export const unindexed = (q: Knex, column: string): Knex.Raw =>
  q.raw(q.client.dialect === 'postgresql' ? '??' : '+??', [column]);

/**
 * A SELECT that locks the rows it finds and leaves out those that another transaction holds. On SQLite a writing
 * transaction is alone, so nobody holds any.
 */
export const skippingLocked = (q: Knex, select: Knex.QueryBuilder): Knex.QueryBuilder =>
  q.client.dialect === 'postgresql' ? select.forUpdate().skipLocked() : select;

/** Narrows a query to rows whose JSON object has an entry; a number or a flag is compared by its text. */
export function whereEntry(
  query: Knex.QueryBuilder,
  column: string,
  { name, value }: { name: string; value: string },
): void {
  if (query.client.dialect === 'postgresql') query.whereRaw('?? ->> ? = ?', [column, name, value]);
  else {
    // SQLite reads true and false as 1 and 0.
    query.whereRaw(
      "EXISTS (SELECT 1 FROM json_each(??) e WHERE e.key = ? AND CASE e.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST(e.value AS TEXT) END = ?)",
      [column, name, value],
    );
  }
}

/** The end of the term that an event `e` of a renewal followed, in the words of the index over those events. */
export const renewedTerm = (q: Knex): Knex.Raw =>
  q.client.dialect === 'postgresql'
    ? q.raw("e.data #>> '{details,previousValidUntil}'")
    : q.raw("json_extract(e.data, '$.details.previousValidUntil')");

/**
 * Narrows to events `e` whose change made the limit of machines smaller, in the words of the index over those events.
 * Only numbers stand there, which both databases compare as such.
 */
export function whereSeatsLowered(events: Knex.QueryBuilder): Knex.QueryBuilder {
  const lowered =
    events.client.dialect === 'postgresql'
      ? "e.diff #> '{maxActivations,0}' > e.diff #> '{maxActivations,1}'"
      : "json_extract(e.diff, '$.maxActivations[0]') > json_extract(e.diff, '$.maxActivations[1]')";
  return events.whereNotNull('e.diff').whereRaw(lowered);
}

/** The elements of a JSON list of texts, one row each in the column `element`. @param column of the query around it */
export const elementsOf = (q: Knex, column: string): Knex.QueryBuilder => {
  const rows =
    q.client.dialect === 'postgresql'
      ? q.raw('jsonb_array_elements_text(??) AS list(element)', [column])
      : q.raw('(SELECT value AS element FROM json_each(??)) AS list', [column]);
  return q.from(rows).select(q.raw('1'));
};

/** Narrows a query to rows whose column is one of a JSON list of texts, which a parameter of a compiled statement holds. */
export function whereListed(query: Knex.QueryBuilder, column: string, list: string): void {
  if (query.client.dialect === 'postgresql')
    query.whereRaw('?? IN (SELECT jsonb_array_elements_text(?::jsonb))', [column, list]);
  else query.whereRaw('?? IN (SELECT value FROM json_each(?))', [column, list]);
}

/** Ids of one text on Postgres, some 500 KB: its driver doubles a buffer until the longest row of an answer fits into it. */
const LINES_OF_A_PIECE = 16_384;

/**
 * One column of an ordered query as texts, a line for each row; none without any. SQLite does not sort anew what a query in
 * FROM has sorted, and gives one text.
 *
 * @param rows selects `id`, a text without line breaks
 */
export async function linesOf(q: Knex, rows: Knex.QueryBuilder): Promise<string[]> {
  const isPostgres = q.client.dialect === 'postgresql';
  const pieces = isPostgres
    ? q
        .from(q.from(rows.as('found')).select('id', q.raw('row_number() OVER () - 1 AS place')).as('placed'))
        .groupByRaw('place / ?', [LINES_OF_A_PIECE])
        .orderByRaw('min(place)')
        .select({ lines: q.raw("string_agg(id, E'\\n' ORDER BY place)") })
    : q.from(rows.as('found')).select({ lines: q.raw('group_concat(id, char(10))') });
  const found: { lines: string | null }[] = await pieces;
  return found.flatMap(({ lines }) => lines ?? []);
}
