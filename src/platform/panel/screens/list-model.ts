import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { perform, type View } from '../../admin/index.ts';
import { type Cell, cellOf, columnsOf, type ShownColumn } from '../cells.ts';
import { narrowingOf, type Query, withQuery } from './address.ts';
import { dayBegun, timesOf } from './days.ts';
import { addressOf, type Desk, itemAddress, keyOf, type Named, namedBy } from './registry.ts';

/** A page of a list as its template shows it. */
export interface ListModel {
  readonly columns: readonly HeadModel[];
  readonly rows: readonly {
    readonly key: string;
    readonly href: string | null;
    readonly cells: readonly Cell[];
  }[];
  /** Null for a log, which nobody counts. */
  readonly total: number | null;
  readonly pages: PagesModel;
  /** Why the list could not be narrowed as it was asked; null when it was. */
  readonly fault: string | null;
}

export interface HeadModel {
  readonly name: string;
  readonly label: string;
  readonly isNumber: boolean;
  /** Where a click on it leads; null for a column that sorts nothing. */
  readonly sortHref: string | null;
  readonly sorted: 'ascending' | 'descending' | null;
}

interface PagesModel {
  readonly first: number;
  readonly last: number;
  readonly previous: string | null;
  readonly next: string | null;
}

/** Columns that somebody may see and wants to. @param columns `key,status` picks them */
export function shownColumns(
  { screen, ops }: Desk,
  ctx: Ctx,
  columns: string | null | undefined,
): readonly ShownColumn[] {
  const all = allColumns({ screen, ops }, ctx);
  const picked = columns?.split(',').filter((name) => name !== '') ?? [];
  const wanted = all.filter(({ name, spec }) => (picked.length > 0 ? picked.includes(name) : !spec.hidden));
  return wanted.length > 0 ? wanted : all;
}

/** Columns that somebody may see. */
export const allColumns = ({ screen, ops }: Pick<Desk, 'screen' | 'ops'>, ctx: Ctx): readonly ShownColumn[] =>
  columnsOf(screen.columns, ops.twin.view, screen.labels).filter(
    ({ spec }) => spec.needs === undefined || allows(ctx.actor, spec.needs),
  );

/**
 * Reads a page of a list as its JSON twin would, and lays it out.
 *
 * @param kept columns that are shown when the query picks none: their names between commas
 */
export async function listModel(
  desk: Desk,
  ctx: Ctx,
  named: Named,
  query: Query,
  kept: string | null = null,
): Promise<ListModel> {
  const columns = shownColumns(desk, ctx, query.columns ?? kept);
  const path = addressOf(desk, named);
  const found = await readPage(desk, ctx, named, query);
  return {
    columns: columns.map((column) => headOf(desk, column, path, query)),
    rows: found.items.map((view) => ({
      key: keyOf(desk, view),
      href: desk.ops.get ? itemAddress(desk, namedBy(desk, named, view)) : null,
      cells: columns.map((column) => cellOf(column, view, ctx.now())),
    })),
    total: found.total,
    pages: pagesOf(path, query, found),
    fault: found.fault,
  };
}

interface Found {
  readonly items: readonly View[];
  readonly total: number | null;
  readonly page: number;
  readonly limit: number;
  readonly next: string | null;
  readonly fault: string | null;
}

const NOTHING: Found = { items: [], total: 0, page: 1, limit: 50, next: null, fault: null };

async function readPage(desk: Desk, ctx: Ctx, named: Named, query: Query): Promise<Found> {
  const { list } = desk.ops;
  if (!list) return NOTHING;
  const asked = knownOf(desk, query);
  try {
    const { body } = await perform(ctx, list, { params: named, query: asked });
    const answer = body as Answer;
    const isTree = desk.ops.twin.paged === 'tree';
    return foundIn(isTree ? { ...answer, items: inLine(answer.items) } : answer);
  } catch (error) {
    // An address that somebody wrote by hand: the page says what is wrong, and keeps the filters.
    const isNarrowed = error instanceof AppError && (error.status === 400 || error.status === 404);
    if (!isNarrowed || (error.status === 404 && Object.keys(asked).length === 0)) throw error;
    // What the list is in may be missing itself, and then there is no such list, with filters or without.
    if (error.status === 404 && Object.keys(named).length > 0) await perform(ctx, list, { params: named });
    return { ...NOTHING, fault: error.message };
  }
}

/** What the operation of a list takes of an address, which may say more: the days of its charts. */
function knownOf({ ops }: Desk, query: Query): Query {
  const { shape = {} } = (ops.list?.query ?? {}) as { shape?: object };
  const known = new Set(Object.keys(shape));
  const times = timesOf(ops.spec.rows.filters);
  return Object.fromEntries(
    Object.entries(query)
      .filter(([name, value]) => known.has(name) && value !== '')
      .map(([name, value]) => [name, times.has(name) ? dayBegun(value) : value]),
  );
}

/** The filters and the search of a list, as its operations take them. */
export const filtersIn = (desk: Desk, query: Query): Query => narrowingOf(knownOf(desk, query));

interface Answer {
  readonly items: readonly View[];
  readonly pagination?: { readonly page: number; readonly limit: number; readonly total: number };
  readonly nextCursor?: string | null;
}

/** Items of a tree, each before those that are under it. */
const inLine = (items: readonly View[]): View[] =>
  items.flatMap((one) => [one, ...inLine((one.children ?? []) as readonly View[])]);

function foundIn({ items, pagination, nextCursor }: Answer): Found {
  if (pagination) return { ...NOTHING, ...pagination, items };
  const isLog = nextCursor !== undefined;
  return {
    ...NOTHING,
    items,
    limit: Math.max(items.length, 1),
    total: isLog ? null : items.length,
    next: nextCursor ?? null,
  };
}

function headOf(
  { ops, screen }: Desk,
  { name, label, kind, spec }: ShownColumn,
  path: string,
  query: Query,
): HeadModel {
  const { sorts, initial } = ops.spec.rows;
  const word = spec.sort ?? name;
  const now = query.sort ?? initial;
  const sorted = now === word ? 'ascending' : now === `-${word}` ? 'descending' : null;
  const isSortable = sorts.includes(word) && screen.columns[name] !== undefined;
  return {
    name,
    label,
    isNumber: kind === 'number' || kind === 'percent' || kind === 'bytes',
    sorted,
    sortHref: isSortable
      ? withQuery(path, query, { sort: sorted === 'ascending' ? `-${word}` : word })
      : null,
  };
}

function pagesOf(path: string, query: Query, { page, limit, total, items, next }: Found): PagesModel {
  const first = (page - 1) * limit + 1;
  const isMore = total !== null && page * limit < total;
  const further = next === null ? null : withQuery(path, query, { cursor: next });
  return {
    first,
    last: first + items.length - 1,
    previous: page > 1 ? withQuery(path, query, { page: page === 2 ? null : String(page - 1) }) : null,
    next: isMore ? withQuery(path, query, { page: String(page + 1) }) : further,
  };
}
