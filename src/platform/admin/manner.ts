import { z } from 'zod';
import { count, queryInteger, text } from '#kernel/http/fields.ts';
import { IfMatchHeaders, readAt } from '#kernel/http/if-match.ts';
import { type PageAsked, Pagination, pageBounds } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import type { BulkOutcome } from './bulk.ts';
import { Deleted, NoteBody, noteField } from './fields.ts';
import type { How } from './resource.ts';

/** Names of the components of a document that follow from the item's name. */
export interface Naming {
  readonly item: string;
  /** The same as a type is written: `Webhook`. */
  readonly type: string;
}

/** A body as it was read: the input of the use case, and how the change is asked for. */
export interface SplitBody {
  readonly input: Record<string, unknown>;
  readonly how: Pick<How, 'note' | 'ifMatch'>;
}

/** What differs between the JSON of the staff surfaces (admin.md 1). */
export interface Manner {
  readonly surface: string;
  /** Prefix of all paths. */
  readonly base: string;
  /** Parameters of every paged list. */
  readonly paging: z.ZodRawShape;
  pageAsked(query: Readonly<Record<string, unknown>>): PageAsked;
  /** Name of a parameter or a field: camelCase in, as the surface writes it out. */
  spell(name: string): string;
  /** Parameters of a query: whether an unknown one is refused. */
  query(shape: z.ZodRawShape): z.ZodObject;
  /** A bulk run takes so many ids at most; filters may leave more. */
  readonly mostIds: number;
  /** Where the export is, below the list. */
  readonly exportAt: string;
  /** Body of a change: the input and what every change may say. */
  body(schema: z.ZodObject, conditional: boolean): z.ZodObject;
  /** Body of an action that needs no input. */
  readonly nothing: z.ZodObject;
  /** @param schema that `body` was made of */
  split(schema: z.ZodObject, body: Record<string, unknown>, headers: unknown): SplitBody;
  /** Headers of a conditional change. */
  readonly conditions: z.ZodObject | undefined;
  one(naming: Naming, view: z.ZodType): z.ZodObject;
  oneWith(naming: Naming, view: z.ZodType, beside: z.ZodRawShape, id: string): z.ZodObject;
  oneBody(naming: Naming, item: unknown, beside?: Readonly<Record<string, unknown>>): object;
  /** An answer that is no item. */
  other(schema: z.ZodObject): z.ZodObject;
  otherBody(answer: object): object;
  page(naming: Naming, view: z.ZodType): z.ZodObject;
  pageBody(asked: PageAsked, found: { items: unknown[]; total: number }): object;
  log(naming: Naming, view: z.ZodType): z.ZodObject;
  logBody(found: { items: unknown[]; next: string | null }): object;
  plain(naming: Naming, view: z.ZodType): z.ZodObject;
  plainBody(items: unknown[]): object;
  readonly removed: z.ZodObject;
  removedBody(id: string): object;
  /** What became of the rows of a bulk run. */
  readonly bulkDone: z.ZodObject;
  bulkBody(outcome: BulkOutcome): object;
}

const BulkResult = later(() =>
  z
    .object({
      id: z.string(),
      success: z.boolean(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    })
    .meta({ id: 'BulkResult' }),
);

const BulkDone = later(() =>
  z
    .object({
      results: z.array(BulkResult),
      summary: z.object({ total: count(), succeeded: count(), failed: count() }),
    })
    .meta({ id: 'BulkDone' }),
);

const items = (view: z.ZodType) => z.array(view);

/** The manner of /api/v1/admin (licensing 4.1): camelCase, `{webhook: …}`, `{items, pagination}`, If-Match. */
export const licenseManner: Manner = {
  surface: 'license-admin',
  base: '/api/v1/admin',
  paging: {
    page: queryInteger({ min: 1, max: pageBounds.page.max, fallback: pageBounds.page.default }),
    limit: queryInteger({ min: 1, max: pageBounds.limit.max, fallback: pageBounds.limit.default }),
  },
  pageAsked: ({ page, limit }) => ({ page: Number(page), limit: Number(limit) }),
  spell: (name) => name,
  query: (shape) => z.strictObject(shape),
  exportAt: '/export',
  mostIds: 1000,
  // A change that wants its reason says so itself.
  body: (schema) => ('note' in schema.shape ? schema : schema.safeExtend({ note: noteField() })),
  nothing: NoteBody,
  split(_schema, { note, ...input }, headers) {
    const ifMatch = readAt((headers ?? {}) as z.output<typeof IfMatchHeaders>);
    const how = {
      ...(note !== undefined && { note: String(note) }),
      ...(ifMatch !== undefined && { ifMatch }),
    };
    return { input, how };
  },
  conditions: IfMatchHeaders,
  one: ({ item, type }, view) => z.object({ [item]: view }).meta({ id: `One${type}` }),
  oneWith: ({ item }, view, beside, id) => z.object({ [item]: view, ...beside }).meta({ id }),
  oneBody: ({ item }, value, beside) => ({ [item]: value, ...beside }),
  other: (schema) => schema,
  otherBody: (answer) => answer,
  page: ({ type }, view) =>
    z.object({ items: items(view), pagination: Pagination }).meta({ id: `${type}Page` }),
  pageBody: ({ page, limit }, found) => ({
    items: found.items,
    pagination: { page, limit, total: found.total, totalPages: Math.ceil(found.total / limit) },
  }),
  log: ({ type }, view) =>
    z.object({ items: items(view), nextCursor: z.string().nullable() }).meta({ id: `${type}Log` }),
  logBody: (found) => ({ items: found.items, nextCursor: found.next }),
  plain: ({ type }, view) => z.object({ items: items(view) }).meta({ id: `${type}List` }),
  plainBody: (list) => ({ items: list }),
  removed: Deleted,
  removedBody: (id) => ({ id, deleted: true as const }),
  bulkDone: BulkDone,
  bulkBody: (outcome) => outcome,
};

/** Text of `q`. */
export const searchField = () => text({ min: 1, max: 200 });
