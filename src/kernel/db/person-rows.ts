import type { Ctx } from '../context.ts';
import type { Stored } from './column.ts';
import { describing, type Row, type TableRecord, type Whose } from './record.ts';

/** Somebody whose rows are looked for: the ids under which tables know them, and their address where it is proved. */
export interface Person {
  /** Ids by the table that they are of. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** As it was written and as addresses are compared; empty: nothing is found by it. */
  readonly emails: readonly string[];
}

/** Tables that come before all others, and those that come after them. */
export interface Order {
  readonly first: readonly string[];
  readonly last: readonly string[];
}

/** Records whose rows are found by a person, each after those that it refers to. @param order of what is locked */
export async function recordsOfPersons(ctx: Ctx, { first, last }: Order): Promise<OfPerson[]> {
  const all = (await ctx.memory.of(describing).load()).flatMap((record) =>
    record.whose === null || typeof record.whose === 'string' ? [] : [{ record, whose: record.whose }],
  );
  const rank = ({ record: { table } }: OfPerson) => {
    if (last.includes(table)) return first.length + 1 + last.indexOf(table);
    return first.includes(table) ? first.indexOf(table) : first.length;
  };
  const waiting = all.toSorted((a, b) => rank(a) - rank(b));
  // Of these the ids are known from the beginning.
  const isKnown = (target: string | undefined) => target !== undefined && last.includes(target);
  const waitsFor = ({ record, whose }: OfPerson) =>
    Object.values(whose.ids ?? {}).some((target) => {
      if (isKnown(target) || target === record.table) return false;
      return waiting.some((other) =>
        target === '*' ? !isOfAll(other) && !isKnown(other.record.table) : other.record.table === target,
      );
    });
  const ordered: OfPerson[] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex((one) => !waitsFor(one));
    // Tables that refer to each other come in the order of the list.
    ordered.push(...waiting.splice(Math.max(at, 0), 1));
  }
  return ordered;
}

const isOfAll = ({ whose }: OfPerson): boolean => Object.values(whose.ids ?? {}).includes('*');

/** A record and how the rows of a person are found in it. */
export interface OfPerson {
  readonly record: TableRecord;
  readonly whose: Whose;
}

const CHUNK = 400;

/** The rows of a table that are about a person. */
export async function rowsOf(
  { db }: Ctx,
  { record, whose }: OfPerson,
  { ids, emails }: Person,
): Promise<Record<string, unknown>[]> {
  const found = new Map<string, Record<string, unknown>>();
  const keep = (rows: readonly Record<string, unknown>[]) => {
    for (const row of rows) found.set(keyOf(record, row), row);
  };
  for (const [name, target] of Object.entries(whose.ids ?? {})) {
    const wanted = target === '*' ? [...ids.values()].flat() : (ids.get(target ?? '') ?? []);
    for (let at = 0; at < wanted.length; at += CHUNK)
      keep(await db.knex(record.table).whereIn(record.nameOf(name), wanted.slice(at, at + CHUNK)));
  }
  if (whose.email !== undefined && emails.length > 0)
    keep(await db.knex(record.table).whereIn(record.nameOf(whose.email), [...emails]));
  return [...found.values()];
}

const keyOf = ({ key }: TableRecord, row: Row | Record<string, unknown>): string =>
  key.map((name) => String(row[name])).join(' ');

/** Whether somebody still works with a row. */
export const isNeeded = ({ record, whose }: OfPerson, row: Record<string, unknown>): boolean =>
  Object.entries(whose.needed ?? {}).some(([name, values]) =>
    (values ?? []).includes(row[record.nameOf(name)] as Stored),
  );

const idOf = ({ key }: TableRecord, row: Record<string, unknown>) =>
  Object.fromEntries(key.map((name) => [name, row[name]])) as Row;

/** Removes a row about a person, or empties what is personal of it. @returns whether anything was left to do */
export async function forgetRow(
  { db }: Ctx,
  { record, whose }: OfPerson,
  row: Record<string, unknown>,
): Promise<boolean> {
  const query = db.knex(record.table).where(idOf(record, row));
  if (whose.goes) return (await query.delete()) > 0;
  const after = emptied(record, row);
  const changed = Object.entries(after).filter(([name, value]) => !isSame(row[name], value));
  if (changed.length === 0) return false;
  await query.update(Object.fromEntries(changed));
  return true;
}

/** JSON of Postgres comes back in another spelling. */
const isSame = (before: unknown, after: Stored): boolean => {
  if (before === after) return true;
  if (typeof before !== 'string' || typeof after !== 'string' || !/^[[{]/.test(after)) return false;
  return JSON.stringify(sorted(JSON.parse(before))) === JSON.stringify(sorted(JSON.parse(after)));
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
};

/** The columns that an erasure leaves, and those that follow from them. */
function emptied(record: TableRecord, row: Record<string, unknown>): Row {
  const id = String(row[record.key[0] ?? 'id']);
  const values: Record<string, unknown> = {};
  const after: Row = {};
  for (const [name, { traits }] of Object.entries(record.columns)) {
    const stored = record.nameOf(name);
    const before = traits.codec === null ? row[stored] : traits.codec.read(row[stored]);
    values[name] = before;
    if (!traits.personal?.erased || before === null || before === undefined) continue;
    const value = traits.personal.erased(id, before as never);
    values[name] = value;
    after[stored] = traits.codec === null ? (value as Stored) : traits.codec.write(value);
  }
  for (const [name, { traits }] of Object.entries(record.columns))
    if (traits.derive && traits.personal) after[record.nameOf(name)] = traits.derive(values as never);
  return after;
}

/** A row as its person may read it: without what is secret or means something on this server only. */
export function shownToPerson(record: TableRecord, row: Record<string, unknown>): Record<string, unknown> {
  const values = record.read(row) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(record.columns).flatMap(([name, { traits }]) =>
      traits.isShown && !traits.isLocal ? [[record.nameOf(name), values[name]]] : [],
    ),
  );
}
