import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { whereSeatsLowered } from '#kernel/db/dialect.ts';
import type { Row } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyKind, LicenseTier, LicenseType } from '#licensing/contract/enumerations.ts';
import { entities } from './entities.ts';
import { type Entity, KINDS, type Kind, printed, type Values } from './entity.ts';

/** Which rows an export holds. */
export interface Selection {
  /** null: those of every tenant. */
  readonly tenantIds: readonly string[] | null;
  /** Changed at this time or later, ISO 8601 UTC; null: all. Kinds that keep no such time are not narrowed. */
  readonly since: string | null;
  /** ISO 8601 UTC of the export. */
  readonly now: string;
}

/**
 * The next rows of a kind in the order of their ids.
 *
 * @param after id of the last row before; empty for the first page
 * @param upTo the last id that may come: what is made while an export runs is left out, so that no row names one that
 *   was not there when its own kind was read
 */
export async function readPage(
  ctx: Ctx,
  entity: Entity,
  selection: Selection,
  { after, upTo, limit }: { after: string; upTo: string; limit: number },
): Promise<Values[]> {
  const { fields, record } = entity;
  const names = Object.entries(fields).map(([name, { column }]) => [name, column]);
  const query = ctx.db
    .knex(record.table)
    .where('id', '>', after)
    .where('id', '<=', upTo)
    .orderBy('id')
    .limit(limit)
    .select(Object.fromEntries(names));
  narrow(query, entity, selection);
  return (await query).map((row: Record<string, unknown>) => printed(entity, row));
}

/** The greatest id of a table; empty for an empty one. */
export async function lastId(ctx: Ctx, { record }: Entity): Promise<string> {
  const row: { id: string } | undefined = await ctx.db.knex(record.table).orderBy('id', 'desc').first('id');
  return row?.id ?? '';
}

function narrow(query: Knex.QueryBuilder, { kind, fields }: Entity, selection: Selection): void {
  const { tenantIds, since, now } = selection;
  if (tenantIds !== null) query.whereIn(kind === 'tenant' ? 'id' : 'tenant_id', [...tenantIds]);
  if (since !== null && 'updatedAt' in fields) query.where('updated_at', '>=', since);
  if (kind === 'signing_key') query.where('role', 'ROOT');
  if (kind === 'license' || kind === 'usage_total') query.where('honeypot', false);
  if (kind === 'usage_total') query.where('current_uses', '>', 0);
  if (kind === 'activation') {
    query
      .whereNull('ended_at')
      .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', now));
  }
}

/** A key of a license, sealed. */
export interface KeyRow {
  licenseId: string;
  sealed: string;
  kind: KeyKind;
  overlapUntil: string | null;
  thenHoneypot: boolean;
  replacedAt: string | null;
  createdAt: string;
}

/** The keys of licenses, those that were replaced too, oldest first. */
export async function listKeys(ctx: Ctx, licenseIds: readonly string[]): Promise<KeyRow[]> {
  const rows = await ctx.db
    .knex('license_keys')
    .whereIn('license_id', [...licenseIds])
    .orderBy(['created_at', 'id']);
  return rows.map((row) => ({
    licenseId: row.license_id,
    sealed: row.key_enc,
    kind: row.kind,
    overlapUntil: row.overlap_until,
    thenHoneypot: readFlag(row.then_honeypot),
    replacedAt: row.replaced_at,
    createdAt: row.created_at,
  }));
}

/** How many machines live on licenses; one without any is not in the answer. */
export async function countLive(
  ctx: Ctx,
  licenseIds: readonly string[],
  now: string,
): Promise<Map<string, number>> {
  const rows: Record<string, unknown>[] = await ctx.db
    .knex('license_activations')
    .whereIn('license_id', [...licenseIds])
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', now))
    .groupBy('license_id')
    .select('license_id')
    .count({ n: '*' });
  return new Map(rows.map((row) => [String(row.license_id), Number(row.n)]));
}

/** What licenses are called by people: address and name of the customer, slug of the product; and their counters. */
export async function listNames(ctx: Ctx, licenseIds: readonly string[]): Promise<Map<string, Values>> {
  const rows = await ctx.db
    .knex('licenses as l')
    .join('license_customers as c', 'c.id', 'l.customer_id')
    .join('license_products as p', 'p.id', 'l.product_id')
    .whereIn('l.id', [...licenseIds])
    .select({
      id: 'l.id',
      customerEmail: 'c.email',
      customerName: 'c.name',
      productSlug: 'p.slug',
      currentUses: 'l.current_uses',
    });
  return new Map(rows.map(({ id, ...names }) => [String(id), names]));
}

interface Owner {
  tenant_id: string;
}

/** One look-up per kind: the tenant of a row. A tenant is its own. */
const owners = Object.fromEntries(
  KINDS.map((kind) => [
    kind,
    statement<{ id: string }, Owner>((q, p) =>
      q(entities[kind].record.table)
        .where('id', p('id'))
        .select(kind === 'tenant' ? 'id as tenant_id' : 'tenant_id'),
    ),
  ]),
) as Record<Kind, ReturnType<typeof statement<{ id: string }, Owner>>>;

/** The tenant of a row; null when there is no such row. */
export const tenantOf = async (ctx: Ctx, kind: Kind, id: string): Promise<string | null> =>
  (await owners[kind].first(ctx.db, { id }))?.tenant_id ?? null;

/** The id of the row that has the natural key of these columns already; null when it is free. */
export async function findTaken(
  ctx: Ctx,
  { record: { table, natural } }: Entity,
  columns: Row,
): Promise<string | null> {
  if (natural.length === 0) return null;
  const key = Object.fromEntries(natural.map((column) => [column, columns[column] ?? null]));
  const row: { id: string } | undefined = await ctx.db.knex(table).where(key).first('id');
  return row?.id ?? null;
}

/** A tenant with the columns that an import may fill. */
export async function findTenant(
  ctx: Ctx,
  by: { id: string } | { slug: string },
): Promise<{ id: string; slug: string; createdAt: string; updatedAt: string } | null> {
  const row = await ctx.db.knex('license_tenants').where(by).first('id', 'slug', 'created_at', 'updated_at');
  return row ? { id: row.id, slug: row.slug, createdAt: row.created_at, updatedAt: row.updated_at } : null;
}

const byDigest = statement<
  { digest: string },
  { license_id: string; kind: KeyKind; product_id: string; tenant_id: string; deleted_at: string | null }
>((q, p) =>
  q('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .where('k.digest', p('digest'))
    .select('k.license_id', 'k.kind', 'l.product_id', 'l.tenant_id', 'l.deleted_at'),
);

/** Whose key it is, in the whole installation; null when nobody has or had it. */
export async function findKeyHolder(
  ctx: Ctx,
  digest: string,
): Promise<{ licenseId: string; productId: string; tenantId: string; isCurrent: boolean } | null> {
  const row = await byDigest.first(ctx.db, { digest });
  if (!row) return null;
  const isCurrent = row.kind === 'CURRENT' && row.deleted_at === null;
  return { licenseId: row.license_id, productId: row.product_id, tenantId: row.tenant_id, isCurrent };
}

/** All tenants, or some: they are few. */
export async function listTenants(
  ctx: Ctx,
  ids: readonly string[] | null,
): Promise<{ id: string; slug: string; hostnames: string[] }[]> {
  const query = ctx.db.knex('license_tenants').orderBy('id').select('id', 'slug', 'hostnames');
  if (ids !== null) query.whereIn('id', [...ids]);
  return (await query).map((row) => ({ id: row.id, slug: row.slug, hostnames: readJson(row.hostnames) }));
}

/** A license with more live machines than it allows. */
export interface Excess {
  used: number;
  maxActivations: number;
  type: LicenseType;
  tier: LicenseTier;
  validUntil: string | null;
  orderId: string | null;
}

/** Locks a license; null where its machines fit, or its timeline tells already of a limit that so many fitted. */
export async function lockExcess(ctx: Ctx, licenseId: string): Promise<Excess | null> {
  const { knex } = ctx.db;
  const license = await knex('licenses')
    .where({ id: licenseId })
    .forUpdate()
    .first('type', 'tier', 'max_activations', 'valid_until', 'order_id');
  const [counted] = await knex('license_activations')
    .where({ license_id: licenseId })
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', ctx.now()))
    .count({ n: '*' });
  const used = Number(counted?.n ?? 0);
  if (license === undefined || used <= license.max_activations) return null;
  const told: { diff: string }[] = await whereSeatsLowered(
    knex('events as e').where('e.subject', licenseId),
  ).select('e.diff');
  const limits = told.map(
    ({ diff }) => readJson<{ maxActivations: [number, number] }>(diff).maxActivations[0],
  );
  if (limits.some((limit) => limit >= used)) return null;
  const { type, tier, max_activations: maxActivations, valid_until: validUntil, order_id: orderId } = license;
  return { used, maxActivations, type, tier, validUntil, orderId };
}
