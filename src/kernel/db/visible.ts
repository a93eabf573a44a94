import { type Actor, type ScopeKind, scopeOf } from '../actor.ts';
import type { Knex } from './database.ts';
import { elementsOf } from './dialect.ts';

/** Where a query holds what actors are confined by: the column of each kind. */
export type ScopeColumns = Readonly<Partial<Record<ScopeKind, string>>>;

/**
 * Narrows a query to the rows that belong to something, such as the ctx's tenant.
 *
 * @param owners values by column
 * @param byId rows are found by their ids: SQLite would take an index of the owner, and read all of its rows, and a unary
 *   plus takes that index away
 * @returns the same query
 */
export function belonging<Q extends Knex.QueryBuilder>(
  { db }: { readonly db: { readonly dialect: string } },
  query: Q,
  owners: Readonly<Record<string, string>>,
  byId: boolean,
): Q {
  for (const [column, value] of Object.entries(owners)) {
    if (byId && db.dialect === 'sqlite') query.whereRaw('+?? = ?', [column, value]);
    else query.where(column, value);
  }
  return query;
}

/**
 * Narrows a query to the rows that the actor may know of; who is confined to nothing costs it nothing. A single row
 * outside of the scope is not found either way: it answers as one that does not exist (admin.md 6.3).
 *
 * @param columns by kind, such as `{ license_product: 'l.product_id' }`
 * @returns the same query
 */
export function visibleTo<Q extends Knex.QueryBuilder>(
  { actor }: { readonly actor: Pick<Actor, 'scopes'> },
  query: Q,
  columns: ScopeColumns,
): Q {
  for (const [kind, column] of Object.entries(columns)) {
    const ids = scopeOf(actor, kind as ScopeKind);
    if (ids) query.whereIn(column, [...ids]);
  }
  return query;
}

/**
 * As `visibleTo`, for rows that name their products in a JSON list: none of them may lie outside. A row without a list
 * is about every product, and not for who is confined to some.
 *
 * @param column with the list of ids, or null
 */
export function visibleByList<Q extends Knex.QueryBuilder>(
  { actor, db }: { readonly actor: Pick<Actor, 'scopes'>; readonly db: { readonly knex: Knex } },
  query: Q,
  column: string,
): Q {
  const ids = scopeOf(actor, 'license_product');
  if (ids)
    query.whereNotNull(column).whereNotExists(elementsOf(db.knex, column).whereNotIn('element', [...ids]));
  return query;
}
