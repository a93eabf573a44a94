import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { type RecordedRequest, requestRecord } from './record.ts';

const TABLE = requestRecord.table;

/** A recorded request on its way into the table; `facts` and `trace` are JSON texts. */
export interface RequestRow extends RecordedRequest {
  tenantId: string | null;
  facts: string | null;
  trace: string | null;
}

/** Which requests a list holds; all of them when empty. */
export interface RequestFilter {
  licenseId?: string | undefined;
  code?: string | undefined;
  status?: number | undefined;
  ip?: string | undefined;
  apiKeyId?: string | undefined;
  /** ISO time; only those from then on. */
  since?: string | undefined;
}

/** Writes rows; one that is there already is left as it is. */
export async function insertAll(ctx: Ctx, rows: readonly RequestRow[]): Promise<void> {
  const values = rows.map(({ tenantId, facts, trace, ...same }) =>
    requestRecord.write(same, { tenantId, facts, trace }),
  );
  await ctx.db.knex(TABLE).insert(values).onConflict('id').ignore();
}

/** One page, newest first, and how many there are. */
export async function list(
  ctx: Ctx,
  filter: RequestFilter & Slice,
): Promise<{ items: RecordedRequest[]; total: number }> {
  const query = visible(ctx);
  const equal = {
    license_id: filter.licenseId,
    code: filter.code,
    status: filter.status,
    ip: filter.ip,
    api_key_id: filter.apiKeyId,
  };
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) query.where(column, value);
  if (filter.since !== undefined) query.where('at', '>=', filter.since);
  const [counted] = await query.clone().count({ n: '*' });
  const rows = await query
    .select(...requestRecord.written)
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(filter.offset)
    .limit(filter.limit);
  return { items: rows.map(requestRecord.read), total: Number(counted?.n ?? 0) };
}

/** One request with facts and trace; null when it was not recorded, or is of another tenant. */
export async function find(
  ctx: Ctx,
  id: string,
): Promise<(RecordedRequest & { facts: unknown; trace: unknown }) | null> {
  const row = await visible(ctx).where({ id }).first();
  if (!row) return null;
  return { ...requestRecord.read(row), facts: readJsonOrNull(row.facts), trace: readJsonOrNull(row.trace) };
}

/**
 * A request without a known caller is nobody's, and shown to the tenant that runs the installation: by a term that no
 * index fits, so that a page is read along the times and not sorted out of all rows.
 */
function visible(ctx: Ctx): Knex.QueryBuilder {
  const { tenantId } = ctx;
  const { knex } = ctx.db;
  const ofTenant =
    tenantId === DEFAULT_TENANT_ID
      ? knex(TABLE).whereRaw('coalesce(tenant_id, ?) = ?', [tenantId, tenantId])
      : knex(TABLE).where('tenant_id', tenantId);
  if (!scopeOf(ctx.actor, 'license_product')) return ofTenant;
  // What was asked about no license is for nobody who is confined to products.
  const license = knex('licenses as l').whereRaw('l.id = ??', [`${TABLE}.license_id`]);
  return ofTenant.whereExists(visibleTo(ctx, license, { license_product: 'l.product_id' }));
}
