import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint, Reply } from '#kernel/http/endpoint.ts';
import { checkInput } from '#kernel/service/input.ts';
import { licenseManner } from './manner.ts';
import type { Resource, ResourceSpec, Twin } from './resource.ts';
import { type Frame, frameOf, itemOf, namedIn, viewsOf } from './twin/frame.ts';

/** The operations of a resource on the admin API by what they do: its pages call them as a program would. */
export interface Operations {
  readonly spec: ResourceSpec<object>;
  readonly twin: Twin<object>;
  /** Names that the path of the list and the path of an item have. */
  readonly params: { readonly above: readonly string[]; readonly key: string };
  readonly list?: Endpoint | undefined;
  readonly get?: Endpoint | undefined;
  readonly create?: Endpoint | undefined;
  readonly change?: Endpoint | undefined;
  readonly remove?: Endpoint | undefined;
  readonly bulk?: Endpoint | undefined;
  readonly export?: Endpoint | undefined;
  /** By the names of the actions; those for many rows alone are part of `bulk`. */
  readonly actions: Readonly<Record<string, Endpoint>>;
  /**
   * One item that the actor may see, and how it is shown.
   *
   * @param params what its path names
   * @throws AppError NOT_FOUND
   */
  find(ctx: Ctx, params: Readonly<Record<string, string>>): Promise<{ row: object; view: View }>;
  /** Rows with what names them, in their order: the rest of a view may be missing. */
  brief(ctx: Ctx, rows: readonly object[]): Promise<readonly View[]>;
}

/** An item as the admin API shows it. */
export type View = Readonly<Record<string, unknown>>;

/** @returns null for a resource that does not stand on the admin API */
export function operationsOf(resource: Resource): Operations | null {
  const spec = resource.spec as unknown as ResourceSpec<object>;
  const twin = spec.apis.find(({ surface }) => surface === licenseManner.surface);
  if (!twin) return null;
  const frame = frameOf(spec, twin, licenseManner);
  const endpoints = resource.endpoints(licenseManner.surface);
  const at = (method: Endpoint['method'], path: string): Endpoint | undefined =>
    endpoints.find((one) => one.method === method && one.path === path);
  const { collection, one } = frame;
  const actions = Object.entries(spec.actions ?? {}).flatMap(([name, { where, method = 'post', path }]) => {
    const found = at(method, (where === 'page' ? collection : one) + (path ?? `/${name}`));
    return found && where !== 'bulk' ? [[name, found] as const] : [];
  });
  return {
    spec,
    twin,
    params: { above: Object.keys(frame.collectionParams?.shape ?? {}), key: twin.key ?? 'id' },
    list: at('get', collection),
    get: at('get', one),
    create: at('post', collection),
    change: at('patch', one),
    remove: at('delete', one),
    bulk: at('post', `${collection}/bulk`),
    export: at('get', collection + licenseManner.exportAt),
    actions: Object.fromEntries(actions),
    find: (ctx, params) => findItem(frame, ctx, params),
    brief: async (ctx, rows) =>
      (twin.brief ? rows.map(twin.brief) : viewsOf(twin, ctx, rows)) as Promise<View[]>,
  };
}

async function findItem(
  frame: Frame<object>,
  ctx: Ctx,
  params: Readonly<Record<string, string>>,
): Promise<{ row: object; view: View }> {
  const { id, named } = namedIn(frame, params);
  const row = await itemOf(frame, ctx, id, named);
  const [view = {}] = await viewsOf(frame.twin.details ?? frame.twin, ctx, [row]);
  return { row, view: view as View };
}

/** What an operation is asked with, before it is judged. */
export interface AskedOf {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Does what an operation of the admin API does, for somebody whose right to it was judged.
 *
 * @throws AppError as the operation itself, VALIDATION_ERROR for input that it refuses
 */
export async function perform(ctx: Ctx, endpoint: Endpoint, asked: AskedOf): Promise<Reply> {
  const read = (schema: z.ZodType | undefined, value: unknown): unknown =>
    schema ? checkInput(schema, value ?? {}) : undefined;
  return endpoint.handle(ctx, {
    params: read(endpoint.params, asked.params),
    query: read(endpoint.query, asked.query),
    headers: read(endpoint.headers, asked.headers),
    body: read(endpoint.body, asked.body),
  });
}
