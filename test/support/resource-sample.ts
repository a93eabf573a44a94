// What the tests of all resources know of one of them beside its declaration (test/contract/staff/).
import type { Ctx } from '#kernel/context.ts';
import type { Resource } from '#platform/admin/index.ts';
import type { AdminRows } from '../contract/row.ts';
import type { Sent } from './http-client.ts';

/** What a path names: `{ id }`, `{ configId, id }`; `{ 'products/id': …, keyId }` where `{id}` is not the item's own. */
export type Made = Readonly<Record<string, string>>;

export interface ResourceSample {
  readonly resource: Resource;
  /** Permission of each operation, by `METHOD path` below /api/v1/admin. */
  readonly rows: AdminRows;
  /**
   * Makes one item as its user would; returns what paths name. Called for each operation, with its name: one that is
   * right in some states only gets an item in such a state.
   */
  make(ctx: Ctx, operation: string): Promise<Made>;
  /** Right bodies by operation that takes one; that of a bulk run is made from `bulk` when absent. */
  readonly bodies: Record<string, (made: Made) => object>;
  /** Queries of operations that need one, and what is sent to those that take a file. */
  readonly queries?: Readonly<Record<string, (made: Made) => string>>;
  readonly uploads?: Readonly<Record<string, Sent>>;
  /**
   * Writes n rows straight into the tables (10,000 within a second or two), of whichever tenant, and may be called again
   * for more; null where rows cannot be made (settings). Where the path of the list names something, it is made as well,
   * also for 0 rows, and returned: `{ configId }`.
   */
  readonly seed: ((ctx: Ctx, n: number) => Promise<unknown>) | null;
  /**
   * A value for each filter parameter, and for `q`, that leaves some of the seeded rows and not all of them. What is
   * left out is taken from what the items show under the filter's name, or that name and `At`.
   */
  readonly filters: Readonly<Record<string, string>>;
  /** What a list is sorted by, where items do not show it under the word of the sort or that word and `At`. */
  readonly sorts?: Readonly<Record<string, (item: Record<string, unknown>) => unknown>>;
  /** The field that names an item, when not `id`. */
  readonly idField?: string;
  /** Fields that differ with each look: drawn anew, or told by the clock. */
  readonly changing?: readonly string[];
  /** A bulk action that some of the seeded rows refuse. */
  readonly bulk?: { readonly action: string; readonly params?: object };
  /** Its rows are those of the installation: every tenant sees them. */
  readonly everyTenant?: true;
  /** Its rows are the tenant's, whatever products somebody is confined to: to be read then, but not to be changed. */
  readonly everyProduct?: true;
}

/** A path below /api/v1/admin with what was made in place of its names. */
export const filled = (path: string, made: Made): string =>
  path.replace('/api/v1/admin', '').replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, before: string, name: string) => {
    const value = made[`${before}/${name}`] ?? made[name];
    if (value === undefined) throw new Error(`nothing was made for {${name}} of ${path}`);
    return `${before}/${encodeURIComponent(value)}`;
  });

const ROWS_AT_ONCE = 200;

/** Writes n rows of a table. @param row that of each number, by the names of its columns */
export async function seedRows(
  ctx: Ctx,
  table: string,
  n: number,
  row: (number: number) => object,
): Promise<void> {
  await ctx.tx(async ({ db }) => {
    for (let from = 0; from < n; from += ROWS_AT_ONCE) {
      const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, n - from) }, (_, at) => row(from + at));
      await db.knex(table).insert(rows);
    }
  });
}
