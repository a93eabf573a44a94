// Every operation of the admin API with what its tests need: of resources from their samples, of the others from one
// world of all of them.
import { loadConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { surfacesOf } from '../../src/app/serve.ts';
import type { Sent } from '../support/http-client.ts';
import { filled, type Made, type ResourceSample } from '../support/resource-sample.ts';
import { type AdminWorld, adminWorld, bodies, pathIn } from './admin-world.ts';
import { adminRows } from './licensing/index.ts';
import { transferQueries, transferUploads } from './licensing/transfers.ts';
import { settingRows } from './platform/settings.ts';
import type { AdminRows } from './row.ts';
import { samples } from './staff/index.ts';

export interface Operation {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What makes the same world has the same one: tests that change nothing share it. */
  readonly shared: string;
  /** Rows of the installation: no tenant is foreign to them. */
  readonly everyTenant: boolean;
  /** Rows of the tenant: who is confined to products may read them, and change none. */
  readonly everyProduct: boolean;
  /** Its items say when they were changed. */
  readonly isVersioned: boolean;
  /** What one call is about. */
  make(ctx: Ctx): Promise<Made>;
  /** Path below /api/v1/admin, with a query where it needs one. */
  path(made: Made): string;
  /** Path of the list that one item is in. */
  list(made: Made): string;
  /** A right body; undefined for an operation that takes none, and for one whose body is missing in the tables. */
  body(made: Made): object | undefined;
  /** What is sent in place of a body. */
  readonly upload: Sent | undefined;
}

const { config } = await loadConfig({ cwd: import.meta.dirname, env: { HOME: import.meta.dirname } });
const endpoints = surfacesOf(config).find(({ name }) => name === 'admin')?.endpoints ?? [];
const nameOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) =>
  `${method.toUpperCase()} ${path.replace('/api/v1/admin', '')}`;

const sampled = new Map(
  samples.flatMap((sample) =>
    sample.resource.endpoints('license-admin').map((endpoint) => [nameOf(endpoint), sample] as const),
  ),
);

/** What an operation needs to answer, and to come to an end. */
const queries: Readonly<Record<string, string>> = {
  'GET /search': '?q=editor',
  'GET /events/stream': '?to=2020-01-01T00:00:00Z',
};

/** Every operation that the admin API has. */
export const operations: readonly Operation[] = endpoints.map((endpoint) => {
  const sample = sampled.get(nameOf(endpoint));
  return sample ? ofSample(endpoint, sample) : ofWorld(endpoint);
});

/** The permission of each, as the tables say it. */
export const permissions: AdminRows = Object.assign({}, adminRows, ...samples.map(({ rows }) => rows));

/** Operations for which a right body is given. */
export const withBodies: readonly string[] = [
  ...Object.keys(bodies),
  ...samples.flatMap((sample) => [...Object.keys(sample.bodies), ...bulkOf(sample)]),
];

/** Those of bulk runs, whose body is made here. */
function bulkOf({ resource, bodies }: ResourceSample): string[] {
  const names = resource.endpoints('license-admin').map(nameOf);
  return names.filter((name) => name.endsWith('/bulk') && !Object.hasOwn(bodies, name));
}

function ofSample(endpoint: Endpoint, sample: ResourceSample): Operation {
  const name = nameOf(endpoint);
  const query = sample.queries?.[name];
  const twin = sample.resource.spec.apis.find(({ surface }) => surface === 'license-admin');
  return {
    name,
    endpoint,
    shared: name,
    everyTenant: sample.everyTenant ?? false,
    everyProduct: sample.everyProduct ?? false,
    isVersioned: 'updatedAt' in { ...twin?.view.shape, ...twin?.details?.view.shape },
    make: (ctx) => sample.make(ctx, name),
    path: (made) => filled(endpoint.path, made) + (query ? `?${query(made)}` : ''),
    list: (made) => filled(twin?.path ?? '', made),
    body: (made) => (sample.bodies[name] ?? bulkBodyOf(sample, name))?.(made),
    upload: sample.uploads?.[name],
  };
}

const bulkBodyOf = ({ bulk }: ResourceSample, name: string) =>
  bulk && name.endsWith('/bulk') ? ({ id }: Made) => ({ ...bulk, ids: [id] }) : undefined;

function ofWorld(endpoint: Endpoint): Operation {
  const name = nameOf(endpoint);
  const world = (made: Made) => made as AdminWorld;
  const query = queries[name] ?? transferQueries[name] ?? '';
  const path = (made: Made) => pathIn(endpoint, world(made)) + query;
  return {
    name,
    endpoint,
    shared: '',
    everyTenant: Object.hasOwn(settingRows, name),
    // A policy is the tenant's, whatever it governs.
    everyProduct: name === 'POST /policies/{id}/impact',
    isVersioned: !Object.hasOwn(settingRows, name) && !name.endsWith('/exports/{id}'),
    make: adminWorld,
    path,
    list: (made) => path(made).replace(/\/[^/]+(\/[a-z-]+)?$/, ''),
    body: (made) => bodies[name]?.(world(made)),
    upload: transferUploads[name],
  };
}
