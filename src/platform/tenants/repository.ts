import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { isId } from '#kernel/ids.ts';
import { ids, type Tenant, tenantRecord } from './record.ts';
import type { TenantStatus } from './schemas.ts';

const TABLE = tenantRecord.table;

const statusOf = statement<{ id: string }, { status: string }>((q, p) =>
  q(TABLE).where('id', p('id')).select('status'),
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
  const row: object | undefined = await visibleTo(ctx, ctx.db.knex(TABLE), { tenant: 'id' })
    .where(named(idOrSlug))
    .first();
  return row ? tenantRecord.read(row) : null;
}

/** Holds all tenants until the transaction ends: a host name belongs to one of them, which no single row says. */
export const lockAll = (ctx: Ctx): Promise<void> => lockName(ctx.db, TABLE);

/** The other tenant that answers under one of these host names, and the name; null when none does. */
export async function findHolder(
  ctx: Ctx,
  hostnames: readonly string[],
  exceptId: string,
): Promise<{ slug: string; hostname: string } | null> {
  for (const { id, slug, hostnames: held } of await listHosts(ctx)) {
    const hostname = held.find((name) => hostnames.includes(name));
    if (hostname !== undefined && id !== exceptId) return { slug, hostname };
  }
  return null;
}

/** The tenant that answers under a host name, or null. */
export async function findIdByHost(ctx: Ctx, hostname: string): Promise<string | null> {
  return (await listHosts(ctx)).find(({ hostnames }) => hostnames.includes(hostname))?.id ?? null;
}

const listHosts = async (ctx: Ctx): Promise<Tenant[]> =>
  (await ctx.db.knex(TABLE).whereNot({ hostnames: '[]' })).map(tenantRecord.read);

/** Throws a unique violation for a taken slug. */
export async function insert(ctx: Ctx, tenant: Tenant): Promise<void> {
  await ctx.db.knex(TABLE).insert(tenantRecord.write(tenant));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, tenant: Tenant): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: tenant.id }).update(tenantRecord.write(tenant));
}

/** Whether the status changed: false when it was that already. */
export const setStatus = async (ctx: Ctx, id: string, status: TenantStatus): Promise<boolean> =>
  (await ctx.db.knex(TABLE).where({ id }).whereNot({ status }).update({ status, updated_at: ctx.now() })) ===
  1;
