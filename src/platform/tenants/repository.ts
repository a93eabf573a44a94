import type { Ctx } from '#kernel/context.ts';
import { readJson, writeJson } from '#kernel/db/columns.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { selectPage } from '#kernel/db/page.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { ids } from './ids.ts';
import type { TenantStatus } from './schemas.ts';

/** A tenant as stored (licensing section 8.2). */
export interface Tenant {
  id: string;
  slug: string;
  name: string;
  hostnames: string[];
  status: TenantStatus;
  defaultKeyFormatId: string | null;
  createdAt: string;
  updatedAt: string;
}

interface Row {
  id: string;
  slug: string;
  name: string;
  hostnames: string;
  status: TenantStatus;
  default_key_format_id: string | null;
  created_at: string;
  updated_at: string;
}

const TABLE = 'license_tenants';

const statusOf = statement<{ id: string }, { status: string }>((q, p) =>
  q('license_tenants').where('id', p('id')).select('status'),
);

export const findStatus = async (ctx: Ctx, id: string): Promise<string | null> =>
  (await statusOf.first(ctx.db, { id }))?.status ?? null;

export async function findIdBySlug(ctx: Ctx, slug: string): Promise<string | null> {
  const row = await ctx.db.knex(TABLE).where({ slug }).first('id');
  return row?.id ?? null;
}

const named = (idOrSlug: string) => (isId(ids.tenant, idOrSlug) ? { id: idOrSlug } : { slug: idOrSlug });

/** The tenant, or null. What has the form of an id is read as one. */
export async function find(ctx: Ctx, idOrSlug: string): Promise<Tenant | null> {
  const row: Row | undefined = await ctx.db.knex(TABLE).where(named(idOrSlug)).first();
  return row ? toTenant(row) : null;
}

/** Holds all tenants until the transaction ends: a host name belongs to one of them, which no single row says. */
export const lockAll = (ctx: Ctx): Promise<void> => lockName(ctx.db, TABLE);

/** The other tenant that answers under one of these host names, and the name; null when none does. */
export async function findHolder(
  ctx: Ctx,
  hostnames: readonly string[],
  exceptId: string,
): Promise<{ slug: string; hostname: string } | null> {
  const rows: Row[] = await ctx.db.knex(TABLE).whereNot({ id: exceptId }).whereNot({ hostnames: '[]' });
  for (const { slug, hostnames: held } of rows) {
    const hostname = readJson<string[]>(held).find((name) => hostnames.includes(name));
    if (hostname !== undefined) return { slug, hostname };
  }
  return null;
}

/** The tenant that answers under a host name, or null. */
export async function findIdByHost(ctx: Ctx, hostname: string): Promise<string | null> {
  const rows: Pick<Row, 'id' | 'hostnames'>[] = await ctx.db
    .knex(TABLE)
    .whereNot({ hostnames: '[]' })
    .select('id', 'hostnames');
  return rows.find(({ hostnames }) => readJson<string[]>(hostnames).includes(hostname))?.id ?? null;
}

export async function list(ctx: Ctx, slice: Slice): Promise<{ items: Tenant[]; total: number }> {
  const { rows, total } = await selectPage<Row>(ctx.db.knex(TABLE), slice);
  return { items: rows.map(toTenant), total };
}

/** Throws a unique violation for a taken slug. */
export async function insert(ctx: Ctx, tenant: Tenant): Promise<void> {
  await ctx.db.knex(TABLE).insert(toRow(tenant));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, tenant: Tenant): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: tenant.id }).update(toRow(tenant));
}

/** Whether the status changed: false when it was that already. */
export const setStatus = async (ctx: Ctx, id: string, status: TenantStatus): Promise<boolean> =>
  (await ctx.db.knex(TABLE).where({ id }).whereNot({ status }).update({ status, updated_at: ctx.now() })) ===
  1;

const toTenant = (row: Row): Tenant => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  hostnames: readJson(row.hostnames),
  status: row.status,
  defaultKeyFormatId: row.default_key_format_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (tenant: Tenant): Row => ({
  id: tenant.id,
  slug: tenant.slug,
  name: tenant.name,
  hostnames: writeJson(tenant.hostnames),
  status: tenant.status,
  default_key_format_id: tenant.defaultKeyFormatId,
  created_at: tenant.createdAt,
  updated_at: tenant.updatedAt,
});
