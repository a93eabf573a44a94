import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Asked } from '#kernel/db/selection/spec.ts';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, queryInteger, text } from '#kernel/http/fields.ts';
import { sliceOf } from '#kernel/service/pagination.ts';
import { sharing } from '#kernel/sharing.ts';
import { queryFlag } from '../fields.ts';
import { type Naming, searchField } from '../manner.ts';
import type { Twin } from '../resource.ts';
import { type Frame, impliedBy, itemOf, namedAbove, namedIn, orRead, viewsOf } from './frame.ts';
import { flatOf, nodeOf, treeOf } from './tree.ts';

type Query = Readonly<Record<string, unknown>>;

/** Parameters that narrow and order a list, as the surface spells them: those of its paging are not among them. */
export const narrowing = <Row extends object>(frame: Frame<Row>): z.ZodRawShape =>
  narrowings(frame, () => newNarrowing(frame));

/** The list, its export and a bulk run by filter have the same. */
const narrowings = sharing<object, z.ZodRawShape>(new WeakMap());

function newNarrowing<Row extends object>({ spec, twin, manner }: Frame<Row>): z.ZodRawShape {
  const { rows } = spec;
  const implied = twin.parent?.filter;
  const filters = Object.entries(rows.parameters)
    .filter(([name]) => name !== implied)
    .map(([name, schema]) => [manner.spell(name), z.optional(schema)] as const);
  return {
    ...(rows.search && { q: searchField().optional() }),
    sort: oneOf(rows.sorts as [string, ...string[]]).optional(),
    ...Object.fromEntries(filters),
  };
}

/** What a query asks of the rows. */
export function askedBy<Row extends object>(
  { spec, manner }: Frame<Row>,
  query: Query,
  implied: Query,
): Asked {
  const filters = Object.keys(spec.rows.parameters).map((name) => [name, query[manner.spell(name)]]);
  return {
    q: query.q as string | undefined,
    sort: query.sort as string | undefined,
    filters: { ...Object.fromEntries(filters), ...implied },
  };
}

/** The list, and one item. */
export function readingOf<Row extends object>(frame: Frame<Row>): Endpoint[] {
  const { twin } = frame;
  const offered = (name: 'list' | 'get') => !twin.without?.includes(name);
  return [...(offered('list') ? [listing(frame)] : []), ...(offered('get') ? [showing(frame)] : [])];
}

function listing<Row extends object>(frame: Frame<Row>): Endpoint {
  const { spec, twin, manner, naming, collection, collectionParams } = frame;
  const { paged = true } = twin;
  const listed = twin.details?.listed;
  const [shape, reply, find] = waysOf(frame)[String(paged) as keyof ReturnType<typeof waysOf>];
  return endpoint({
    method: 'get',
    path: collection,
    summary: twin.summaries?.list ?? `List the ${spec.labels.many}`,
    scope: spec.needs.read,
    ...orRead(spec),
    limit: null,
    ...(collectionParams && { params: collectionParams }),
    query: () =>
      manner.query({
        ...shape(),
        ...narrowing(frame),
        ...(listed && { details: queryFlag().optional() }),
      }),
    replies: () => ({ 200: reply(naming, listed ?? twin.view) }),
    errors: ['VALIDATION_ERROR', ...(collectionParams || hasLookup(frame) ? ['NOT_FOUND'] : [])],
    handle: async (ctx, { params, query }) => {
      const implied = await impliedBy(frame, ctx, namedAbove(params));
      return ok(await find(ctx, query as Query, askedBy(frame, query as Query, implied)));
    },
  });
}

/** How each kind of list is asked for, told and found. */
function waysOf<Row extends object>({ spec: { rows }, twin, manner }: Frame<Row>) {
  const pages = async (ctx: Ctx, query: Query, asked: Asked): Promise<object> => {
    const page = manner.pageAsked(query);
    const { items, total } = await rows.page(ctx, { ...asked, ...sliceOf(page) });
    return manner.pageBody(page, { items: await seen(twin, ctx, items, query), total });
  };
  const log = async (ctx: Ctx, query: Query, asked: Asked): Promise<object> => {
    const { cursor, limit } = query;
    const place = { cursor: (cursor as string | undefined) ?? null, limit: Number(limit) };
    const { items, next } = await rows.after(ctx, { ...asked, ...place });
    return manner.logBody({ items: await seen(twin, ctx, items, query), next });
  };
  const plain = async (ctx: Ctx, query: Query, asked: Asked): Promise<object> => {
    const { items } = await rows.page(ctx, { ...asked, offset: 0, limit: MOST_PLAIN });
    return manner.plainBody(await seen(twin, ctx, items, query));
  };
  const tree = async (ctx: Ctx, query: Query, asked: Asked): Promise<object> => {
    const { items } = await rows.page(ctx, { ...asked, offset: 0, limit: MOST_PLAIN });
    const views = await seen(twin, ctx, items, query);
    const placed = items.map((row, at) => ({
      id: (row as { id?: string }).id ?? '',
      under: twin.under?.(row) ?? null,
      view: views[at] ?? {},
    }));
    const nodes = treeOf(placed);
    return manner.plainBody(query.flat ? flatOf(nodes) : nodes);
  };
  return {
    true: [() => manner.paging, manner.page, pages],
    cursor: [() => LOG_QUERY, manner.log, log],
    false: [() => ({}), manner.plain, plain],
    tree: [
      () => ({ flat: queryFlag().optional().describe('one after the other, each before those under it') }),
      (naming: Naming, view: z.ZodObject) =>
        manner.plain({ ...naming, type: `${naming.type}Tree` }, nodeOf(view, `${naming.type}Node`)),
      tree,
    ],
  } as const;
}

/** Rows as the query wants to see them. */
const seen = <Row extends object>(
  twin: Twin<Row>,
  ctx: Ctx,
  rows: Row[],
  { details }: Query,
): Promise<unknown[]> => viewsOf(details && twin.details ? twin.details : twin, ctx, rows);

/** A list without pages is one that stays short. */
const MOST_PLAIN = 1000;

const LOG_QUERY = {
  cursor: text({ min: 1, max: 500 }).optional(),
  limit: queryInteger({ min: 1, max: 500, fallback: 50 }),
};

const hasLookup = <Row extends object>({ spec }: Frame<Row>): boolean =>
  Object.values(spec.rows.filters).some(({ kind }) => kind === 'lookup');

function showing<Row extends object>(frame: Frame<Row>): Endpoint {
  const { spec, twin, manner, naming, one, itemParams } = frame;
  const shown = twin.details ?? twin;
  const named = twin.details ? { ...naming, type: `${naming.type}Details` } : naming;
  return endpoint({
    method: 'get',
    path: one,
    summary: twin.summaries?.get ?? `Show one ${spec.labels.one}`,
    scope: spec.needs.read,
    ...orRead(spec),
    limit: null,
    params: itemParams,
    replies: () => ({ 200: manner.one(named, shown.view) }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const { id, named } = namedIn(frame, params);
      const [item] = await viewsOf(shown, ctx, [await itemOf(frame, ctx, id, named)]);
      return ok(manner.oneBody(naming, item));
    },
  });
}
