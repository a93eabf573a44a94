import { z } from 'zod';
import { count, integer, optional, queryInteger } from '#kernel/http/fields.ts';
import { later, sharing } from '#kernel/sharing.ts';
import { licenseManner, type Manner } from '../manner.ts';
import type { Showing, Twin } from '../resource.ts';
import { viewsOf } from '../twin/frame.ts';
import { camelNames, camelView, declaredNames, respelledBody, spelled } from './spelling.ts';

const perPage = { default: 20, max: 100 } as const;

const Pagination = z
  .object({ page: count(), per_page: count(), total: count(), total_pages: count() })
  .meta({ id: 'StorePagination' });

const deleted = z.object({ deleted: z.literal(true) });
const BulkDone = later(() =>
  z.object({
    updated: count(),
    errors: z.array(z.object({ id: z.string(), error_code: z.string(), message: z.string() })),
  }),
);

const data = <S extends z.ZodType>(schema: S) => z.object({ data: schema });

/**
 * The manner of /api/store (storefront-api.md 1): snake_case, `{data, pagination}`, `version` in the body of a change,
 * unknown fields ignored.
 */
export const storeManner: Manner = {
  surface: 'store',
  base: '/api/store',
  exportAt: '/export.csv',
  mostIds: 200,
  paging: {
    page: queryInteger({ min: 1, max: 1_000_000_000, fallback: 1 }),
    per_page: queryInteger({ min: 1, max: perPage.max, fallback: perPage.default }),
  },
  pageAsked: ({ page, per_page }) => ({ page: Number(page), limit: Number(per_page) }),
  spell: spelled,
  query: (shape) => z.object(shape),
  body: (schema, conditional) => {
    const body = respelledBody(schema);
    return conditional
      ? body.safeExtend({
          version: optional(integer(0)).describe('as it was read; 400 when it has changed since'),
        })
      : body;
  },
  nothing: z.object({}),
  split(schema, { version, ...body }) {
    const input = declaredNames(schema, body) as Record<string, unknown>;
    return { input, how: version === undefined ? {} : { ifMatch: String(version) } };
  },
  conditions: undefined,
  one: ({ type }, view) => data(view).meta({ id: `One${type}` }),
  oneWith: (_naming, view, beside, id) => data(z.intersection(view, z.object(beside))).meta({ id }),
  oneBody: (_naming, value, beside) => ({ data: { ...(value as object), ...beside } }),
  other: (schema) => data(schema),
  otherBody: (answer) => ({ data: answer }),
  page: ({ type }, view) =>
    z.object({ data: z.array(view), pagination: Pagination }).meta({ id: `${type}Page` }),
  pageBody: ({ page, limit }, { items, total }) => ({
    data: items,
    pagination: { page, per_page: limit, total, total_pages: Math.ceil(total / limit) },
  }),
  log: ({ type }, view) =>
    z.object({ data: z.array(view), next_cursor: z.string().nullable() }).meta({ id: `${type}Log` }),
  logBody: ({ items, next }) => ({ data: items, next_cursor: next }),
  plain: ({ type }, view) => data(z.array(view)).meta({ id: `${type}List` }),
  plainBody: (items) => ({ data: items }),
  removed: data(deleted),
  removedBody: () => ({ data: { deleted: true as const } }),
  bulkDone: data(BulkDone),
  bulkBody: ({ results, summary }) => ({
    data: {
      updated: summary.succeeded,
      errors: results.flatMap(({ id, error }) =>
        error ? [{ id, error_code: error.code, message: error.message }] : [],
      ),
    },
  }),
};

/** A change of the shop's things names their version. */
const VersionHeaders = later(() =>
  z.object({
    'if-match': z
      .string()
      .regex(/^"\d+"$/)
      .optional(),
  }),
);

/** How the panel asks for what stands in the store alone: as the admin API's pages do, with the version of an item. */
export const deskManner: Manner = {
  ...licenseManner,
  surface: storeManner.surface,
  base: storeManner.base,
  conditions: VersionHeaders,
  split(schema, body, headers) {
    const { 'if-match': version } = (headers ?? {}) as z.output<typeof VersionHeaders>;
    const { input: said, how: asked } = licenseManner.split(schema, body, {});
    // What has a note of its own, which is not the reason of the change.
    const isOwn = 'note' in schema.shape && 'note' in body;
    const { note: _reason, ...rest } = asked;
    const [input, how] = isOwn ? [{ ...said, note: body.note }, rest] : [said, asked];
    return { input, how: version === undefined ? how : { ...how, ifMatch: version.slice(1, -1) } };
  },
};

/** A resource of the store as pages read it: its views with the names that code has, made when they are asked for. */
export const deskTwin = (twin: Twin<object>): Twin<object> => {
  const { toView: _one, toViews: _all, details, brief, view, ...place } = twin;
  return {
    ...place,
    ...camelShowing(twin, view),
    ...(brief && { brief: (row: object) => camelNames(view, brief(row)) as object }),
    get view() {
      return camelled(view);
    },
    ...(details && {
      details: {
        ...details,
        ...camelShowing(details, details.view),
        get view() {
          return camelled(details.view);
        },
      },
    }),
  } as Twin<object>;
};

/** Each view once. */
const camelled = (view: z.ZodObject): z.ZodObject => views(view, camelView);
const views = sharing<z.ZodObject, z.ZodObject>(new WeakMap());

const camelShowing = (showing: Showing<object>, view: z.ZodType): Showing<object> => ({
  toViews: async (rows, ctx) =>
    (await viewsOf(showing, ctx, rows)).map((one) => camelNames(view, one) as object),
});
