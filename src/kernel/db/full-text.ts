import type { Knex } from 'knex';
import type { Db, DialectName } from './database.ts';
import { statement } from './statement.ts';

/**
 * An index over words: FTS5 on SQLite, `tsvector` with GIN on Postgres. Whoever indexes cuts and folds the text himself, so
 * that both databases hold the same terms and find the same rows; of a term neither knows more than that it is there.
 */
export interface FullText<Field extends string = string, Level extends string = string> {
  readonly table: string;
  /** What a row has terms in. */
  readonly fields: readonly Field[];
  /** Where a search may look: each level is one or several fields. */
  readonly levels: Readonly<Record<Level, readonly Field[]>>;
  /** The table that numbers the rows: its columns `number`, a whole number that is its key, and what a search answers with. */
  readonly of: { readonly table: string; readonly name: string };
}

/** Letters, digits and marks alone, folded. */
export interface Term {
  readonly text: string;
  /** Whether longer terms that begin so are meant too. */
  readonly isStart: boolean;
}

/** All of these must be there, each as any of its alternatives. */
export type Wanted = readonly (readonly Term[])[];

/** Statements that make the index. */
export function fullTextTable(dialect: DialectName, { table, fields, levels }: FullText): string[] {
  if (dialect === 'sqlite')
    // Terms are separated by blanks; `ascii` leaves every other character in them. No row keeps its text.
    return [
      `CREATE VIRTUAL TABLE ${table} USING fts5(${fields.join(', ')}, content='', contentless_delete=1, detail=column, tokenize='ascii', prefix='2 3')`,
    ];
  const names = Object.keys(levels);
  return [
    `CREATE TABLE ${table} (number bigint PRIMARY KEY, ${names.map((name) => `${name}_terms tsvector NOT NULL`).join(', ')})`,
    ...names.map((name) => `CREATE INDEX ${table}_${name} ON ${table} USING gin (${name}_terms)`),
  ];
}

/** Puts the terms of a row into the index, in place of those that it has. */
export async function putTerms<Field extends string>(
  db: Db,
  index: FullText<Field>,
  number: number,
  terms: Readonly<Record<Field, Iterable<string>>>,
): Promise<void> {
  const { table, fields, levels } = index;
  await removeTerms(db, index, number);
  if (db.dialect === 'sqlite') {
    const texts = fields.map((field) => [field, [...terms[field]].join(' ')]);
    await db.knex(table).insert({ rowid: number, ...Object.fromEntries(texts) });
    return;
  }
  const vectors = Object.entries(levels).map(([level, of]) => {
    const all = new Set(of.flatMap((field) => [...terms[field as Field]]));
    const quoted = [...all].map((term) => `'${term}'`).join(' ');
    return [`${level}_terms`, db.knex.raw('?::tsvector', [quoted])];
  });
  await db.knex(table).insert({ number, ...Object.fromEntries(vectors) });
}

/** Takes a row out of the index. */
export async function removeTerms(db: Db, { table }: FullText, number: number): Promise<void> {
  const column = db.dialect === 'sqlite' ? 'rowid' : 'number';
  await db
    .knex(table)
    .where({ [column]: number })
    .delete();
}

/** Takes all rows out of the index. */
export const removeAllTerms = async ({ knex }: Db, { table }: FullText): Promise<void> => {
  await knex(table).delete();
};

const LINE = '\n';

const isPostgres = (knex: Knex): boolean => knex.client.dialect === 'postgresql';

/** A question in the words of a database. */
const asked = <Level extends string>(
  db: Db,
  { levels }: FullText<string, Level>,
  level: Level,
  wanted: Wanted,
): string =>
  db.dialect === 'sqlite' ? `{${levels[level].join(' ')}} : (${matchOf(wanted)})` : queryOf(wanted);

/** Compiles the question whether an index has any row at all with some terms. @param level where it looks */
export function prober<Level extends string>(index: FullText<string, Level>, level: Level) {
  const { table } = index;
  const find = statement<{ question: string }, object>((knex, p) => {
    const rows = knex(table).limit(1).select(knex.raw('1'));
    return isPostgres(knex)
      ? rows.whereRaw('?? @@ ?::tsquery', [`${level}_terms`, p('question')])
      : rows.whereRaw('?? MATCH ?', [table, p('question')]);
  });
  return async (db: Db, wanted: Wanted): Promise<boolean> =>
    (await find.first(db, { question: asked(db, index, level, wanted) })) !== undefined;
}

/**
 * Compiles the search of an index.
 *
 * @param levels where each of the questions looks
 * @returns finds the names of the rows for each question, in no order; one statement asks all of them
 */
export function finder<Level extends string>(index: FullText<string, Level>, levels: readonly Level[]) {
  const marks = levels.map((_level, at) => `q${at}`);
  type Row = { place: number; names: string | null };
  const { table, of } = index;
  const find = statement<Record<string, string>, Row>((knex, p) => {
    const list = isPostgres(knex)
      ? `string_agg(o.${of.name}, E'\\n')`
      : `group_concat(o.${of.name}, char(10))`;
    const number = `${table}.${isPostgres(knex) ? 'number' : 'rowid'}`;
    const selects = levels.map((level, at) => {
      const isThere = isPostgres(knex) ? `${table}.${level}_terms @@ ?::tsquery` : `${table} MATCH ?`;
      return `SELECT ${at} AS place, ${list} AS names FROM ${table} JOIN ${of.table} o ON o.number = ${number} WHERE ${isThere}`;
    });
    return knex.raw(selects.join(' UNION ALL '), marks.map(p));
  });
  return async (db: Db, questions: readonly Wanted[]): Promise<string[][]> => {
    const all = levels.map((level, at) => [`q${at}`, asked(db, index, level, questions[at] ?? [])]);
    const found: string[][] = levels.map(() => []);
    for (const { place, names } of await find.all(db, Object.fromEntries(all)))
      found[Number(place)] = names === null ? [] : names.split(LINE);
    return found;
  };
}

/** In the language of FTS5: every term is a string of it, so that no word of the language is meant. */
const matchOf = (wanted: Wanted): string =>
  joined(wanted, ' AND ', ' OR ', ({ text, isStart }) => `"${text}"${isStart ? '*' : ''}`);

const queryOf = (wanted: Wanted): string =>
  joined(wanted, ' & ', ' | ', ({ text, isStart }) => `'${text}'${isStart ? ':*' : ''}`);

const joined = (wanted: Wanted, and: string, or: string, write: (term: Term) => string): string =>
  wanted.map((alternatives) => `(${alternatives.map(write).join(or)})`).join(and);
