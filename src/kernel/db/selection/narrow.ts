import { reaches } from '../../actor.ts';
import type { Ctx } from '../../context.ts';
import type { Knex } from '../database.ts';
import { belonging, visibleTo } from '../visible.ts';
import { matching } from './filter.ts';
import type { Asked, SelectionSpec } from './spec.ts';

/** A query with what it has joined so far. */
export interface Narrowed {
  readonly query: Knex.QueryBuilder;
  readonly joined: Set<string>;
}

/** A declaration, whatever its rows are. */
export type AnySpec = Omit<SelectionSpec<unknown>, 'read' | 'complete'>;

/** Name of a parameter: that of its filter and what follows it. `created`, `from` is `createdFrom`. */
export const parameterName = (filter: string, word: string): string => {
  if (word === '' || filter === '') return filter + word;
  return filter + word.slice(0, 1).toUpperCase() + word.slice(1);
};

/** The rows that the actor may see. @param byId they are found by their ids, see `belonging` */
export function visible({ from, scope }: AnySpec, ctx: Ctx, byId = false): Knex.QueryBuilder {
  const query = from(ctx);
  if (scope === 'none') return query;
  if (typeof scope === 'function') scope(query, ctx, byId);
  else {
    const { tenant, ...others } = scope;
    if (tenant !== undefined) ofTenant(query, tenant, ctx, byId);
    visibleTo(ctx, query, others);
  }
  return query;
}

/** One comparison: a list of the tenants that the actor may see, beside it, would lead SQLite to another index. */
function ofTenant(query: Knex.QueryBuilder, tenant: string, ctx: Ctx, byId: boolean): void {
  if (!reaches(ctx.actor, 'tenant', ctx.tenantId)) query.whereRaw('1 = 0');
  else belonging(ctx, query, { [tenant]: ctx.tenantId }, byId);
}

/** The visible rows that filters and search leave. */
export async function narrow(spec: AnySpec, ctx: Ctx, { q, filters = {} }: Asked): Promise<Narrowed> {
  const narrowed: Narrowed = { query: visible(spec, ctx), joined: new Set() };
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  await narrowBy(spec, ctx, narrowed, { ...spec.unasked, ...Object.fromEntries(given) });
  if (q !== undefined && q !== '') await search(spec, ctx, narrowed, q);
  return narrowed;
}

/** Narrows to what the filters leave; those that are not given leave all. */
export async function narrowBy(
  spec: AnySpec,
  ctx: Ctx,
  narrowed: Narrowed,
  filters: NonNullable<Asked['filters']>,
): Promise<void> {
  for (const [name, one] of Object.entries(spec.filters ?? {})) {
    for (const [word, { apply }] of Object.entries(one.parameters)) {
      const value = filters[parameterName(name, word)];
      if (value === undefined) continue;
      join(spec, ctx, narrowed, one.needs);
      await apply(narrowed.query, value, ctx);
    }
  }
}

async function search(spec: AnySpec, ctx: Ctx, narrowed: Narrowed, text: string): Promise<void> {
  if (!spec.search) return;
  const { by, needs } = spec.search;
  const ids = idsBeginning(text);
  if (ids !== null) {
    // Along the index of the ids: a row that is named so is meant before any that only holds the text.
    const [found] = await visible(spec, ctx).select({ id: spec.id }).whereBetween(spec.id, ids).limit(1);
    if (found !== undefined) return void narrowed.query.whereBetween(spec.id, ids);
  }
  join(spec, ctx, narrowed, needs);
  if (typeof by === 'function') await by(narrowed.query, text, ctx);
  else {
    narrowed.query.where((any) => {
      for (const column of by) any.orWhere((each) => matching(each, column, text, 'contains'));
    });
  }
}

/** The first and the last id that begin with a text; null where it begins none. */
const idsBeginning = (text: string): [string, string] | null =>
  /^[a-z]{3}_[0-9A-Z]{2,26}$/.test(text) ? [text, text.padEnd(ID_LENGTH, 'Z')] : null;

const ID_LENGTH = 30;

/** Adds tables that are needed, each once. @throws Error for one that is not declared */
export function join(
  { joins = {} }: AnySpec,
  ctx: Ctx,
  { query, joined }: Narrowed,
  needs: readonly string[] = [],
): void {
  for (const name of needs) {
    const add = joins[name];
    if (!add) throw new Error(`${name} is not declared as a join`);
    if (!joined.has(name)) add(query, ctx);
    joined.add(name);
  }
}

/** How a list is sorted. */
export interface Order {
  readonly column: string;
  readonly direction: 'asc' | 'desc';
  readonly isNullable: boolean;
  readonly needs: readonly string[];
}

/** @param asked a word of the declared sorts, or undefined for the initial one */
export function orderOf({ sorts, initial }: AnySpec, asked: string | undefined): Order {
  const word = asked ?? initial;
  const sort = sorts[word.replace(/^-/, '')];
  if (sort === undefined) throw new Error(`${word} is not declared as a sort`);
  const { column, needs = [], isNullable = false } = typeof sort === 'string' ? { column: sort } : sort;
  return { column, direction: word.startsWith('-') ? 'desc' : 'asc', isNullable, needs };
}

const VALUES_FIRST = { asc: '?? ASC NULLS LAST', desc: '?? DESC NULLS LAST' } as const;

/**
 * Orders a list; the id settles what is equal.
 *
 * @param isShort the filters leave few rows. SQLite does not know: it would read all rows along an index that has the
 *   order, and a unary plus takes that index away. Postgres knows from its statistics.
 */
export function order(
  spec: AnySpec,
  ctx: Ctx,
  narrowed: Narrowed,
  asked: string | undefined,
  isShort = false,
): Knex.QueryBuilder {
  const { column, direction, isNullable, needs } = orderOf(spec, asked);
  join(spec, ctx, narrowed, needs);
  const { query } = narrowed;
  // Only where it is needed: not every index is in this order. Not knex's own word for it: on SQLite it forgets the value.
  if (isNullable) query.orderByRaw(VALUES_FIRST[direction], [column]);
  else if (column !== spec.id) by(column);
  return by(spec.id);

  function by(one: string): Knex.QueryBuilder {
    if (isShort && ctx.db.dialect === 'sqlite') return query.orderByRaw(SORTED[direction], [one]);
    return query.orderBy(one, direction);
  }
}

const SORTED = { asc: '+?? ASC', desc: '+?? DESC' } as const;
