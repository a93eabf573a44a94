import type { z } from 'zod';
import { sightOf } from '../../actor.ts';
import type { Ctx } from '../../context.ts';
import { memoryKey } from '../../process-memory.ts';
import { invalidField } from '../../service/errors.ts';
import type { Knex } from '../database.ts';
import { linesOf } from '../dialect.ts';
import {
  type AnySpec,
  join,
  type Narrowed,
  narrow,
  narrowBy,
  order,
  orderOf,
  parameterName,
  visible,
} from './narrow.ts';
import type { Asked, Selection, SelectionSpec } from './spec.ts';

/** Fewer cost more queries. Of more that Postgres sends so much is held at a time that V8 grows by 30 MB. */
const ROWS_AT_ONCE = { sqlite: 100, postgres: 64 } as const;
/** Counting more takes milliseconds, in which SQLite answers nobody else; what is added to so many nobody sees at once. */
const LONG = 10_000;
const FRESH_MS = 5000;
/** Lists that are narrowed differently, of one kind. */
const MOST_KEPT = 200;
const longTotals = memoryKey('totals of long lists', () => new WeakMap<AnySpec, Map<string, LongTotal>>());
/** So many rows are sorted faster than they are found along an index that holds all others, too. */
const FEW = 5000;

/**
 * Declares a list (admin.md 1).
 *
 * @throws Error for an initial order that is not declared
 */
export function selection<Row, Stored extends object = object>(
  spec: SelectionSpec<Row, Stored>,
): Selection<Row> {
  const { filters = {}, search = null, sorts, initial } = spec;
  orderOf(spec, undefined);
  let parameters: Readonly<Record<string, z.ZodType>> | undefined;
  return {
    filters,
    search,
    sorts: Object.keys(sorts).flatMap((name) => [name, `-${name}`]),
    initial,
    get parameters() {
      return (parameters ??= parametersOf(filters));
    },
    page: (ctx, asked) => page(spec, ctx, asked),
    few: (ctx, most) => few(spec, ctx, most),
    after: (ctx, asked) => after(spec, ctx, asked),
    stream: (ctx, asked) => stream(spec, ctx, asked),
    ids: (ctx, asked) => idsOf(spec, ctx, asked),
    of: (ctx, ids, within) => rowsOf(spec, ctx, ids, within),
    find: async (ctx, id, within) => (await rowsOf(spec, ctx, [id], within))[0] ?? null,
  };
}

/** Schemas of what a query may narrow the list by. */
const parametersOf = (filters: NonNullable<AnySpec['filters']>): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, one]) =>
      Object.entries(one.parameters).map(([word, { schema }]) => [parameterName(name, word), schema]),
    ),
  );

async function page<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  asked: Asked & { offset: number; limit: number },
): Promise<{ items: Row[]; total: number }> {
  const narrowed = await narrow(spec, ctx, asked);
  const total = await totalOf(spec, ctx, narrowed, asked);
  if (asked.offset >= total) return { items: [], total };
  order(spec, ctx, narrowed, asked.sort, total <= FEW)
    .offset(asked.offset)
    .limit(asked.limit);
  if (!spec.shows) return { items: await read(spec, ctx, narrowed), total };
  // The ids first: an index may hold all that they are found by, and the shown columns join for one page alone.
  const found: { id: string }[] = await narrowed.query.select({ id: spec.id });
  return {
    items: await rowsOf(
      spec,
      ctx,
      found.map(({ id }) => id),
    ),
    total,
  };
}

/** How many rows there are; of a long list, a few seconds ago (decision 0063). */
async function totalOf(spec: AnySpec, ctx: Ctx, { query }: Narrowed, { q, filters }: Asked): Promise<number> {
  const known = ctx.memory.of(longTotals);
  const ofSpec = known.get(spec) ?? new Map<string, LongTotal>();
  const key = JSON.stringify([ctx.tenantId, sightOf(ctx.actor), q, filters]);
  const now = Date.parse(ctx.now());
  const kept = ofSpec.get(key);
  if (kept && Math.abs(now - kept.at) < FRESH_MS) return kept.total;
  // Tables that only the order and the shown columns need are no part of it yet.
  const [counted] = await query.clone().count({ n: '*' });
  const total = Number(counted?.n ?? 0);
  if (kept) ofSpec.delete(key);
  if (total <= LONG) return total;
  if (ofSpec.size >= MOST_KEPT) ofSpec.clear();
  known.set(spec, ofSpec.set(key, { at: now, total }));
  return total;
}

interface LongTotal {
  readonly at: number;
  readonly total: number;
}

async function few<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  most: number,
): Promise<Row[] | null> {
  const { query } = await narrow(spec, ctx, {});
  const found: unknown[] = await query.select({ id: spec.id }).limit(most + 1);
  return found.length > most ? null : (await page(spec, ctx, { offset: 0, limit: most })).items;
}

async function after<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  asked: Asked & { cursor: string | null; limit: number },
): Promise<{ items: Row[]; next: string | null }> {
  const { column, direction } = orderOf(spec, asked.sort);
  const narrowed = await narrow(spec, ctx, asked);
  const query = order(spec, ctx, narrowed, asked.sort);
  if (asked.cursor !== null) {
    const [value, id] = placeOf(asked.cursor);
    const further = direction === 'asc' ? '>' : '<';
    query.where(column, `${further}=`, value).where((later) => {
      later.where(column, further, value).orWhere(spec.id, further, id);
    });
  }
  query.limit(asked.limit + 1).select({ cursor_value: column, cursor_id: spec.id });
  const stored = await select<S & Place>(spec, ctx, narrowed);
  const items = stored.slice(0, asked.limit);
  const last = stored.length > asked.limit ? items.at(-1) : undefined;
  return {
    items: await complete(
      spec,
      ctx,
      items.map((one) => spec.read(one, ctx)),
    ),
    next: last ? cursorOf(last) : null,
  };
}

interface Place {
  cursor_value: string | number;
  cursor_id: string;
}

const cursorOf = ({ cursor_value, cursor_id }: Place): string =>
  Buffer.from(JSON.stringify([cursor_value, cursor_id])).toString('base64url');

function placeOf(cursor: string): [value: string | number, id: string] {
  try {
    const [value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if ((typeof value === 'string' || Number.isFinite(value)) && typeof id === 'string') return [value, id];
  } catch {
    // Refused below.
  }
  throw invalidField('cursor', 'is not a cursor from a list: leave it out to start again');
}

/**
 * The ids first: what is added or taken away meanwhile moves nothing to another page, and a page is found by its ids
 * however the list is sorted.
 */
async function* stream<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  asked: Asked,
): AsyncGenerator<Row[]> {
  const aside = ctx.db.aside?.();
  const reading = aside ? ctx.with({ db: aside.db }) : ctx;
  try {
    const narrowed = await narrow(spec, reading, asked);
    const ids = order(spec, reading, narrowed, asked.sort).select({ id: spec.id });
    for (const lines of await linesOf(reading.db.knex, ids))
      for (const some of pagesOf(lines, ROWS_AT_ONCE[reading.db.dialect]))
        yield await rowsOf(spec, reading, some);
  } finally {
    aside?.end();
  }
}

/** Ids of a text with one in each line. As a list, those of 100,000 rows would take five times as much memory. */
function* pagesOf(lines: string, atOnce: number): Generator<string[]> {
  for (let from = 0; from < lines.length; ) {
    const ids: string[] = [];
    while (ids.length < atOnce && from < lines.length) {
      const end = lines.indexOf('\n', from);
      const to = end === -1 ? lines.length : end;
      ids.push(lines.slice(from, to));
      from = to + 1;
    }
    yield ids;
  }
}

async function idsOf<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  asked: Asked,
): Promise<string[]> {
  const narrowed = await narrow(spec, ctx, asked);
  const rows: { id: string }[] = await order(spec, ctx, narrowed, asked.sort).select({ id: spec.id });
  return rows.map(({ id }) => id);
}

async function rowsOf<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  ids: readonly string[],
  filters: Asked['filters'] = {},
): Promise<Row[]> {
  const narrowed: Narrowed = { query: visible(spec, ctx, true), joined: new Set() };
  await narrowBy(spec, ctx, narrowed, filters);
  narrowed.query.whereIn(spec.id, [...ids]).select({ cursor_id: spec.id });
  const stored = await select<S & Place>(spec, ctx, narrowed);
  const places = new Map(ids.map((id, place) => [id, place]));
  const place = ({ cursor_id }: Place): number => places.get(cursor_id) ?? 0;
  stored.sort((one, other) => place(one) - place(other));
  return complete(
    spec,
    ctx,
    stored.map((one) => spec.read(one, ctx)),
  );
}

async function read<Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  narrowed: Narrowed,
): Promise<Row[]> {
  const stored = await select<S>(spec, ctx, narrowed);
  return complete(
    spec,
    ctx,
    stored.map((one) => spec.read(one, ctx)),
  );
}

const complete = <Row, S extends object>(
  spec: SelectionSpec<Row, S>,
  ctx: Ctx,
  rows: Row[],
): Promise<Row[]> | Row[] => (spec.complete && rows.length > 0 ? spec.complete(ctx, rows) : rows);

async function select<S extends object>(spec: AnySpec, ctx: Ctx, narrowed: Narrowed): Promise<S[]> {
  join(spec, ctx, narrowed, spec.shows);
  const { columns } = spec;
  const shown: (string | Knex.Raw | Knex.QueryBuilder)[] = [
    ...(typeof columns === 'function' ? columns(ctx) : columns),
  ];
  return (await narrowed.query.select(...shown)) as unknown as S[];
}
