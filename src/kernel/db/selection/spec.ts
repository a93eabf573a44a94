import type { z } from 'zod';
import type { ScopeKind } from '../../actor.ts';
import type { Ctx } from '../../context.ts';
import type { Knex } from '../database.ts';
import type { Filter } from './filter.ts';

/** A list's filters by their names. */
export type Filters = Readonly<Record<string, Filter>>;

type Columns = readonly (string | Knex.Raw | Knex.QueryBuilder)[];

/** What a list shows and by what it can be narrowed and sorted: one declaration for lists, exports and bulk runs. */
export interface SelectionSpec<Row, Stored extends object = object> {
  /** Rows before any filter, without columns and order. */
  readonly from: (ctx: Ctx) => Knex.QueryBuilder;
  /** Tables that only some filters, searches, sorts and the shown columns need, by the names that these give them. */
  readonly joins?: Readonly<Record<string, (query: Knex.QueryBuilder, ctx: Ctx) => void>>;
  /** Column of the id; it also settles the order of equal rows. */
  readonly id: string;
  /**
   * Columns that the ctx's tenant (`tenant`) and the actor's scopes narrow, by the kind of the scope; `none` where
   * everybody sees all. A function adds a predicate of its own: rows that belong to nothing that is named in them. It
   * names what they belong to by `belonging`, told whether rows are found by their ids.
   */
  readonly scope:
    | Readonly<Partial<Record<ScopeKind, string>>>
    | ((query: Knex.QueryBuilder, ctx: Ctx, byId: boolean) => void)
    | 'none';
  /** What is selected. */
  readonly columns: Columns | ((ctx: Ctx) => Columns);
  /** The joins that the columns need. */
  readonly shows?: readonly string[];
  readonly read: (stored: Stored, ctx: Ctx) => Row;
  /** Completes the rows of one page from other tables, in their order. */
  readonly complete?: (ctx: Ctx, rows: Row[]) => Promise<Row[]>;
  readonly filters?: Filters;
  /** Values of parameters that nobody asked for, as their schemas read them: `{ deleted: false }`. */
  readonly unasked?: Readonly<Record<string, unknown>>;
  readonly search?: Search;
  /** Columns by the words of `sort`. */
  readonly sorts: Readonly<Record<string, string | Sort>>;
  /** A word of `sorts`, with a leading `-` from the largest down. */
  readonly initial: string;
}

/** What `q` looks at. */
export interface Search {
  /** As a screen says it: `Key, e-mail, order, machine`. */
  readonly placeholder: string;
  readonly needs?: readonly string[];
  /** Columns that hold the text somewhere, or a search of its own. */
  readonly by:
    | readonly string[]
    | ((query: Knex.QueryBuilder, text: string, ctx: Ctx) => void | Promise<void>);
}

/** A column that needs more than its name to be sorted by. */
export interface Sort {
  readonly column: string;
  readonly needs?: readonly string[];
  /** Rows without a value come last. */
  readonly isNullable?: true;
}

/** What a list is asked for; filters by the names of their parameters. */
export interface Asked {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly filters?: Readonly<Record<string, unknown>> | undefined;
}

/** A list that can be paged, streamed and acted upon. Only rows that the actor may see are in it, however it is read. */
export interface Selection<Row> {
  readonly filters: Filters;
  readonly search: Pick<Search, 'placeholder'> | null;
  /** What `sort` may say. */
  readonly sorts: readonly string[];
  readonly initial: string;
  /** Schemas of the parameters of all filters, by name. */
  readonly parameters: Readonly<Record<string, z.ZodType>>;
  page(ctx: Ctx, asked: Asked & { offset: number; limit: number }): Promise<{ items: Row[]; total: number }>;
  /** All rows that there are, or null when there are more than `most`: of many nobody counts or sorts any. */
  few(ctx: Ctx, most: number): Promise<Row[] | null>;
  /**
   * Rows after a place in the list, without counting them. Only for lists whose order is never null.
   *
   * @param asked `cursor` as `next` said it; null begins
   * @returns where the next rows begin; null at the end
   * @throws AppError VALIDATION_ERROR for a cursor that is none
   */
  after(
    ctx: Ctx,
    asked: Asked & { cursor: string | null; limit: number },
  ): Promise<{ items: Row[]; next: string | null }>;
  /** All rows, some hundreds at a time; those that came later are left out. */
  stream(ctx: Ctx, asked: Asked): AsyncGenerator<Row[]>;
  /** Ids of all rows, in their order. */
  ids(ctx: Ctx, asked: Asked): Promise<string[]>;
  /**
   * Rows of these ids that the actor may see, in the order of the ids.
   *
   * @param within filters that they have to pass as well
   */
  of(ctx: Ctx, ids: readonly string[], within?: Asked['filters']): Promise<Row[]>;
  /**
   * One row, or null: unknown, or outside of what the actor may see.
   *
   * @param within filters that it has to pass as well
   */
  find(ctx: Ctx, id: string, within?: Asked['filters']): Promise<Row | null>;
}
