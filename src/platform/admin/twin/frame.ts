import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { fail } from '#kernel/service/errors.ts';
import { sharing } from '#kernel/sharing.ts';
import { idempotencyKeyOf } from '../../idempotency/index.ts';
import type { Manner, Naming } from '../manner.ts';
import type { How, Named, ResourceSpec, Showing, Twin } from '../resource.ts';
import { type Beside, hasBeside } from '../view.ts';

/** A resource on one surface, with what its operations share. */
export interface Frame<Row extends object> {
  readonly spec: ResourceSpec<Row>;
  readonly twin: Twin<Row>;
  readonly manner: Manner;
  readonly naming: Naming;
  /** Path of the collection, and of one item. */
  readonly collection: string;
  readonly one: string;
  /** What the two paths name. */
  readonly collectionParams: z.ZodObject | undefined;
  readonly itemParams: z.ZodObject;
  /** Headers that a change may depend on; undefined where no item says when it was changed. */
  readonly conditions: z.ZodObject | undefined;
}

/**
 * @param declared the twin as its resource declares it, where `twin` was made of it
 * @throws Error for a path whose parent is not named in it
 */
export function frameOf<Row extends object>(
  spec: ResourceSpec<Row>,
  twin: Twin<Row>,
  manner: Manner,
  declared = twin,
): Frame<Row> {
  const { parent, key = 'id', item } = twin;
  if (parent && !twin.path.includes(`{${parent.name}}`))
    throw new Error(`${twin.path} does not name ${parent.name}`);
  const collection = manner.base + twin.path;
  const above = namesIn(twin.path);
  const at = twin.itemsAt === undefined ? collection : manner.base + twin.itemsAt;
  return {
    spec: specOn(spec, twin),
    twin,
    manner,
    naming: { item, type: twin.type ?? item.slice(0, 1).toUpperCase() + item.slice(1) },
    collection,
    one: `${at}/{${key}}`,
    collectionParams: above.length > 0 ? paramsOf(above) : undefined,
    itemParams: paramsOf([...(twin.itemsAt === undefined ? above : []), key]),
    // Whether it has a version is seen in its view, which is made when somebody asks (decision 0096).
    get conditions() {
      return isVersioned(declared) ? manner.conditions : undefined;
    },
  };
}

/** What a resource is on the surface of a twin. */
export const specOn = <Row extends object>(spec: ResourceSpec<Row>, { own }: Twin<Row>): ResourceSpec<Row> =>
  own ? { ...spec, ...own } : spec;

const isVersioned = ({ view, details }: Pick<Twin<never>, 'view' | 'details'>): boolean =>
  ['updatedAt', 'updated_at', 'version'].some((name) => name in { ...view.shape, ...details?.view.shape });

/** The names in a path, `{id}`, in their order. */
export const namesIn = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** What reads those names of a request: any text that a name can be. */
export const paramsOf = (names: readonly string[]): z.ZodObject =>
  params(names.join(' '), () =>
    z.strictObject(Object.fromEntries(names.map((name) => [name, text({ min: 1, max: 255 })]))),
  );

const params = sharing<string, z.ZodObject>(new Map());

/** What the path of a collection named: what it is in. */
export const namedAbove = (params: unknown): Named => (params ?? {}) as Named;

/** What the path of an item named: the item, and what it is in. */
export function namedIn<Row extends object>(
  { twin: { key = 'id' } }: Frame<Row>,
  params: unknown,
): { id: string; named: Named } {
  const { [key]: id = '', ...named } = (params ?? {}) as Record<string, string>;
  return { id, named };
}

/**
 * One item that the actor may see.
 *
 * @throws AppError NOT_FOUND
 */
export async function itemOf<Row extends object>(
  frame: Frame<Row>,
  ctx: Ctx,
  id: string,
  named: Named,
): Promise<Row> {
  const { spec } = frame;
  const within = await impliedBy(frame, ctx, named);
  if (!spec.get) return (await spec.rows.find(ctx, id, within)) ?? missing(spec, id);
  const row = await spec.get(ctx, id, { named });
  // It may go by other names than the id, and does not ask what the path says that the item is in.
  const isElsewhere = isNarrowed(within) && !(await spec.rows.find(ctx, idOf(row) ?? id, within));
  return isElsewhere ? missing(spec, id) : row;
}

/**
 * Demands of a change that its path is right: the collection is there, and the item is in it (admin.md 1).
 *
 * @throws AppError NOT_FOUND
 */
export async function requirePlace<Row extends object>(
  frame: Frame<Row>,
  ctx: Ctx,
  { id, named }: { id: string; named: Named },
): Promise<void> {
  const { parent } = frame.twin;
  if (!parent || named[parent.name] === undefined) return;
  if (id === '') await impliedBy(frame, ctx, named);
  else await itemOf(frame, ctx, id, named);
}

const isNarrowed = (within: object): boolean => Object.keys(within).length > 0;

/** The id of an item, where it shows one. */
export const idOf = (item: unknown): string | undefined =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : undefined;

const missing = ({ labels }: Pick<ResourceSpec<object>, 'labels'>, id: string): never => {
  throw fail('NOT_FOUND', `${labels.one} ${id} does not exist`);
};

/** The filters that a path implies. @throws AppError NOT_FOUND for a collection that is not there */
export async function impliedBy<Row extends object>(
  { twin: { parent } }: Frame<Row>,
  ctx: Ctx,
  named: Named,
): Promise<Record<string, unknown>> {
  const within = parent && named[parent.name];
  if (!parent || within === undefined) return {};
  const id = await parent.find(ctx, within);
  // A filter takes a list of ids.
  return parent.filter === undefined ? {} : { [parent.filter]: [id] };
}

/** Rows as the surface shows them, in their order. */
export async function viewsOf<Row extends object>(
  { toView, toViews }: Showing<Row>,
  ctx: Ctx,
  rows: readonly Row[],
): Promise<object[]> {
  return toViews ? toViews(rows, ctx) : Promise.all(rows.map((row) => toView(row, ctx)));
}

/** How a change shows its item. */
export const afterChange = <Row extends object>(twin: Twin<Row>) =>
  twin.answers === 'details' && twin.details ? twin.details : twin;

/** One row as the answer of a change shows it. */
const viewOf = async <Row extends object>(twin: Twin<Row>, ctx: Ctx, row: Row): Promise<object | undefined> =>
  (await viewsOf(afterChange(twin), ctx, [row]))[0];

/** The answer of a change: the item as the surface shows it, and what stands beside it. */
export async function answerOf<Row extends object>(
  { twin, manner, naming }: Frame<Row>,
  ctx: Ctx,
  answer: Row | Beside<Row>,
): Promise<object> {
  const [row, fields] = hasBeside(answer) ? [answer.row, answer.fields] : [answer, undefined];
  return manner.oneBody(naming, await viewOf(twin, ctx, row), fields);
}

/**
 * How a change is asked for: what the path, the headers and the body say of it.
 *
 * @param schema that the body was declared by; the one of nothing when absent
 */
export function readChange<Row extends object>(
  frame: Frame<Row>,
  { params, headers, body }: { params: unknown; headers: unknown; body: unknown },
  schema: z.ZodObject = z.object({}),
): { id: string; input: Record<string, unknown>; how: How } {
  const { id, named } = namedIn(frame, params);
  const { input, how } = frame.manner.split(schema, (body ?? {}) as Record<string, unknown>, headers);
  const idempotencyKey = idempotencyKeyOf(headers);
  return { id, input, how: { ...how, named, ...(idempotencyKey !== undefined && { idempotencyKey }) } };
}

/** The other permission that opens what reads. */
export const orRead = ({ needs: { orRead } }: Pick<ResourceSpec<object>, 'needs'>) =>
  orRead === undefined ? {} : { orScope: orRead };

/** A permission that the declaration must name. @throws Error */
export function required<T>(value: T | undefined, what: string, { name }: { name: string }): T {
  if (value === undefined) throw new Error(`${name} does not say who may ${what}`);
  return value;
}
