import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint, Reply } from '#kernel/http/endpoint.ts';
import { checkInput } from '#kernel/service/input.ts';
import { endpointsOf } from './admin-resource.ts';
import { licenseManner, type Manner } from './manner.ts';
import type { Resource, ResourceSpec, Twin } from './resource.ts';
import { deskManner, deskTwin, storeManner } from './store/manner.ts';
import { type Frame, frameOf, itemOf, namedIn, viewsOf } from './twin/frame.ts';

/** The operations of a resource by what they do: its pages call them as a program would. */
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
  /** As a program asks for it, whose names of parameters `spell` makes. */
  readonly export?: Endpoint | undefined;
  spell(name: string): string;
  /** The state of an item that a change of it names, so that a later one is not overwritten; empty when it has none. */
  at(view: View): string;
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

/** An item as the admin API shows it, or as the store does with the names that code has. */
export type View = Readonly<Record<string, unknown>>;

/** How the panel asks for a resource, and how programs do. */
interface Asking {
  readonly twin: Twin<object>;
  /** The twin as it was declared. */
  readonly declared: Twin<object>;
  readonly manner: Manner;
  /** The surface on which it stands for programs. */
  readonly surface: Manner;
  at(view: View): string;
}

/** The admin API's where a resource stands on both; null where it stands on none. */
function askingOf(spec: ResourceSpec<object>): Asking | null {
  const twinOn = ({ surface }: Manner) => spec.apis.find((twin) => twin.surface === surface);
  const ofLicense = twinOn(licenseManner);
  if (ofLicense) {
    const at = ({ updatedAt }: View) => String(updatedAt ?? '');
    return { twin: ofLicense, declared: ofLicense, manner: licenseManner, surface: licenseManner, at };
  }
  const ofStore = twinOn(storeManner);
  if (!ofStore) return null;
  const at = ({ version }: View) => (spec.edit?.hasVersion === false ? '' : String(version ?? ''));
  return { twin: deskTwin(ofStore), declared: ofStore, manner: deskManner, surface: storeManner, at };
}

/** @returns null for a resource that stands on no API of staff */
export function operationsOf(resource: Resource): Operations | null {
  const declaration = resource.spec as unknown as ResourceSpec<object>;
  const asking = askingOf(declaration);
  if (!asking) return null;
  const { twin, declared, manner, surface } = asking;
  const frame = frameOf(declaration, twin, manner, declared);
  const { spec } = frame;
  const endpoints = endpointsOf(frame);
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
    // An action may stand at the same address, as an upload does.
    create: spec.create && at('post', collection),
    change: spec.edit && at('patch', one),
    remove: spec.remove && at('delete', one),
    bulk: at('post', `${collection}/bulk`),
    export: exportOn(resource, twin.path, surface),
    spell: surface.spell,
    at: asking.at,
    actions: Object.fromEntries(actions),
    find: (ctx, params) => findItem(frame, ctx, params),
    brief: async (ctx, rows) =>
      (twin.brief ? rows.map(twin.brief) : viewsOf(twin, ctx, rows)) as Promise<View[]>,
  };
}

const exportOn = (resource: Resource, path: string, { surface, base, exportAt }: Manner) =>
  resource.endpoints(surface).find((one) => one.method === 'get' && one.path === base + path + exportAt);

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
