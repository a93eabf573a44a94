import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { issuesOf } from '#kernel/http/fields.ts';
import { rehearse } from '#kernel/rehearse.ts';
import { later } from '#kernel/sharing.ts';
import { raiseReleases } from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { awaitBundle } from '#licensing/releases/bundles/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { entities } from './entities.ts';
import { columnsOf, type Entity, KINDS, type Kind, objectOf, type Values } from './entity.ts';
import { importEvents } from './events.ts';
import {
  announce,
  currentKey,
  digestOf,
  type KeptKey,
  noteExcess,
  requireFreeKey,
  writeLicense,
} from './intake.ts';
import { LicenseExtras } from './native-format.ts';
import * as queries from './queries.ts';
import { type Outcome, RowFault } from './report.ts';
import * as repo from './repository.ts';

/** One row of the file. */
export interface NativeRow {
  line: number;
  kind: Kind;
  entity: Entity;
  value: Record<string, unknown>;
}

/** What an import has learned so far. */
export interface Arrivals {
  readonly dryRun: boolean;
  readonly fireEvents: boolean;
  /** The only tenant that is written to; null for every one. */
  readonly onlyTenant: string | null;
  /** Id of a tenant in the file to its id here. */
  readonly tenants: Map<string, string>;
  /** `kind:id tenant` of rows that are known to be there: catalog rows, which every license names again. */
  readonly known: Set<string>;
  /** What a dry run would have written: ids, natural keys, digests. */
  readonly planned: Set<string>;
}

export const startArrivals = (asked: {
  dryRun: boolean;
  fireEvents: boolean;
  onlyTenant?: string | undefined;
}): Arrivals => ({
  dryRun: asked.dryRun,
  fireEvents: asked.fireEvents,
  onlyTenant: asked.onlyTenant ?? null,
  tenants: new Map(),
  known: new Set(),
  planned: new Set(),
});

/** What the form of a row demands, by kind. */
const schemas = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    later(() => {
      const shape = Object.entries(entities[kind].fields).map(([name, { schema }]) => [name, schema()]);
      return z.object({ v: z.literal(1), ...Object.fromEntries(shape) });
    }),
  ]),
) as unknown as Record<Kind, z.ZodType<Values>>;

/**
 * Writes one row unless its id is there, in the caller's transaction.
 *
 * @throws RowFault
 */
export async function arrive(ctx: Ctx, row: NativeRow, state: Arrivals): Promise<Outcome> {
  const { kind, entity } = row;
  const sent = checked(schemas[kind], row.value);
  const contradiction = entity.record.contradiction(objectOf(entity, sent));
  if (contradiction !== null) throw new RowFault('VALUE_INVALID', contradiction);
  if (kind === 'tenant') return arriveTenant(ctx, sent, state);
  const tenantId = await localTenant(ctx, sent.tenantId as string, state);
  const own = ctx.with({ tenantId });
  const values: Values = { ...sent, tenantId };
  if (kind === 'usage_total') return arriveCounter(own, values, state);
  const id = values.id as string;
  const holder = await queries.tenantOf(own, kind, id);
  if (holder === tenantId) return 'skipped';
  if (holder !== null) throw new RowFault('CONFLICT', holderFault(id, state));
  await requireReferences(own, entity, values, state);
  await requireFree(own, entity, values, state);
  if (kind === 'license') await arriveLicense(own, row, values, state);
  else if (!state.dryRun) {
    const bundle = kind === 'release' ? bundleOf(values) : null;
    if (bundle !== null) await awaitBundle(own, bundle, own.now());
    await repo.insert(own, entity, values);
    if (kind === 'release') await raiseReleases(own, [values.productId as string]);
    if (kind === 'activation') await noteExcess(own, values.licenseId as string);
    else await note(own, kind, { after: objectOf(entity, values) });
  }
  if (state.dryRun) state.planned.add(`${kind}:${id} ${tenantId}`);
  return 'created';
}

/** Who is confined to a tenant learns nothing of what others have. */
const holderFault = (id: string, { onlyTenant }: Arrivals): string =>
  onlyTenant === null ? `${id} belongs to another tenant` : `${id} is not free`;

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const texts = issuesOf(result.error.issues).map(({ path, message }) =>
    path ? `${path} ${message}` : message,
  );
  throw new RowFault('VALUE_INVALID', texts.slice(0, 3).join('; '));
}

/** A tenant of the same slug is the same tenant: every installation has its own `default`. */
async function arriveTenant(ctx: Ctx, values: Values, state: Arrivals): Promise<Outcome> {
  const { id, slug, createdAt } = values as { id: string; slug: string; createdAt: string };
  const found = (await queries.findTenant(ctx, { id })) ?? (await queries.findTenant(ctx, { slug }));
  if (state.onlyTenant !== null) return arriveOwnTenant(id, found, state);
  if (!found) await requireFreeHosts(ctx, id, values.hostnames as string[]);
  state.tenants.set(id, found?.id ?? id);
  if (!found) {
    if (state.dryRun) return 'created';
    await repo.insert(ctx, entities.tenant, values);
    await note(ctx.with({ tenantId: id }), 'tenant', { after: objectOf(entities.tenant, values) });
    return 'created';
  }
  // Nobody has touched it since the migration made it, so nothing of this installation is lost.
  const isUntouched = found.slug === slug && found.updatedAt === found.createdAt;
  const differs = values.updatedAt !== found.updatedAt || createdAt !== found.createdAt;
  if (!isUntouched || !differs || found.slug !== 'default') return 'skipped';
  if (state.dryRun) return 'updated';
  const before = await tenants.get(ctx, found.id);
  await repo.fillTenant(ctx, entities.tenant, found.id, values);
  const after = await tenants.get(ctx, found.id);
  await note(ctx.with({ tenantId: found.id }), 'tenant', { before, after });
  return 'updated';
}

/** An import that is confined to a tenant takes the rows of this tenant, and nothing of its own settings. */
function arriveOwnTenant(id: string, found: { id: string } | null, state: Arrivals): Outcome {
  if (found?.id !== state.onlyTenant) throw foreign(id);
  state.tenants.set(id, found.id);
  return 'skipped';
}

const foreign = (id: string): RowFault =>
  new RowFault('TENANT_FOREIGN', `tenant ${id} is not the one that this import is confined to`);

/** A host name decides the tenant of a request, so that no two may have it (D132). */
async function requireFreeHosts(ctx: Ctx, id: string, hostnames: readonly string[]): Promise<void> {
  for (const tenant of await queries.listTenants(ctx, null)) {
    const shared = tenant.hostnames.find((hostname) => hostnames.includes(hostname));
    if (shared === undefined || tenant.id === id) continue;
    throw new RowFault('CONFLICT', `host name ${shared} belongs to tenant ${tenant.slug}`);
  }
}

async function localTenant(ctx: Ctx, id: string, { tenants, onlyTenant }: Arrivals): Promise<string> {
  const mapped = tenants.get(id);
  if (mapped !== undefined) return mapped;
  if (onlyTenant !== null && id !== onlyTenant) throw foreign(id);
  if (!(await queries.findTenant(ctx, { id }))) {
    throw new RowFault('REFERENCE_UNKNOWN', `tenantId: tenant ${id} was not found`);
  }
  tenants.set(id, id);
  return id;
}

async function requireReferences(ctx: Ctx, entity: Entity, values: Values, state: Arrivals): Promise<void> {
  for (const [field, kind] of Object.entries(entity.references)) {
    const id = values[field];
    if (typeof id === 'string' && !(await isThere(ctx, kind, id, state))) {
      throw new RowFault('REFERENCE_UNKNOWN', `${field}: ${kind.replace('_', ' ')} ${id} was not found`);
    }
  }
}

async function isThere(ctx: Ctx, kind: Kind, id: string, { known, planned }: Arrivals): Promise<boolean> {
  const name = `${kind}:${id} ${ctx.tenantId}`;
  if (known.has(name) || planned.has(name)) return true;
  const found = (await queries.tenantOf(ctx, kind, id)) === ctx.tenantId;
  // Products and policies are few and named by every license; customers and licenses would fill the memory.
  if (found && (kind === 'product' || kind === 'policy')) known.add(name);
  return found;
}

async function requireFree(ctx: Ctx, entity: Entity, values: Values, state: Arrivals): Promise<void> {
  if (entity.record.natural.length === 0) return;
  const columns = columnsOf(entity, values);
  const name = `${entity.kind}=${JSON.stringify(entity.record.natural.map((column) => columns[column]))}`;
  const taken = await queries.findTaken(ctx, entity, columns);
  if (taken !== null || state.planned.has(name)) {
    const what = entity.record.natural.filter((column) => column !== 'tenant_id').join(' and ');
    throw new RowFault(
      'CONFLICT',
      `${what.replace('email_norm', 'email')} is taken${taken ? ` by ${taken}` : ''}`,
    );
  }
  if (state.dryRun) state.planned.add(name);
}

async function arriveLicense(ctx: Ctx, row: NativeRow, values: Values, state: Arrivals): Promise<void> {
  const extras = checked(LicenseExtras, row.value);
  if (extras.key === undefined) {
    throw new RowFault('KEY_MISSING', 'the license has no key; export it with its keys (--include-keys)');
  }
  const current = currentKey(extras.key, extras.keyCreatedAt ?? (values.createdAt as string));
  const keys: KeptKey[] = [current, ...(extras.formerKeys ?? [])];
  for (const { key } of keys) {
    const digest = digestOf(ctx, key);
    if (state.planned.has(digest)) throw new RowFault('DUPLICATE_KEY', 'the file has the key twice');
    await requireFreeKey(ctx, digest);
    if (state.dryRun) state.planned.add(digest);
  }
  if (state.dryRun) return;
  await writeLicense(ctx, values, keys);
  await announce(ctx, values, {
    from: 'native',
    machines: [],
    used: extras.activationsUsed ?? 0,
    fireEvents: state.fireEvents,
  });
}

async function arriveCounter(ctx: Ctx, values: Values, state: Arrivals): Promise<Outcome> {
  const { licenseId, currentUses } = values as { licenseId: string; currentUses: number };
  if (state.dryRun && state.planned.has(`license:${licenseId} ${ctx.tenantId}`)) return 'created';
  await requireReferences(ctx, entities.usage_total, values, state);
  const set = (ctx: Ctx) => licenses.fillCounter(ctx, licenseId, currentUses);
  return (await (state.dryRun ? rehearse(ctx, set) : set(ctx))) ? 'created' : 'skipped';
}

/** The bundle that the row of a release names, or null. */
const bundleOf = ({ bundleSha256: sha256, bundleSha512: sha512, bundleSize: size }: Values) =>
  sha256 === null ? null : ({ sha256, sha512, size } as { sha256: string; sha512: string; size: number });

type ToldKind = Exclude<Kind, 'license' | 'activation' | 'usage_total'>;

/** What the audit log has of everything but a license, whose own line says more. */
const note = (ctx: Ctx, kind: ToldKind, sides: { before?: object; after: Values | tenants.Tenant }) =>
  importEvents.tell(
    ctx,
    `${kind.toUpperCase() as Uppercase<ToldKind>}_IMPORTED`,
    String(sides.after.id),
    {},
    { ...sides, target: targets[kind], record: entities[kind].record },
  );

const targets: Record<ToldKind, string> = {
  tenant: 'tenants',
  product: 'products',
  signing_key: 'signing-keys',
  key_format: 'key-formats',
  policy: 'policies',
  customer: 'customers',
  release: 'releases',
};
