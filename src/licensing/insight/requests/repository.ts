import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';

const TABLE = 'license_requests';

/** A recorded request on its way into the table; `facts` and `trace` are JSON texts. */
export interface RequestRow {
  id: string;
  tenantId: string | null;
  at: string;
  method: string;
  route: string;
  status: number;
  code: string | null;
  /** The rate limit that refused it. */
  bucket: string | null;
  licenseId: string | null;
  apiKeyId: string | null;
  ip: string;
  userAgent: string | null;
  /** Duration in milliseconds. */
  ms: number;
  facts: string | null;
  trace: string | null;
}

/** A recorded request without its explanation. */
export type RecordedRequest = Omit<RequestRow, 'tenantId' | 'facts' | 'trace'>;

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
  const values = rows.map(({ tenantId, licenseId, apiKeyId, userAgent, ...same }) => ({
    ...same,
    tenant_id: tenantId,
    license_id: licenseId,
    api_key_id: apiKeyId,
    user_agent: userAgent,
  }));
  await ctx.db.knex(TABLE).insert(values).onConflict('id').ignore();
}

const columns = [
  'id',
  'at',
  'method',
  'route',
  'status',
  'code',
  'bucket',
  'license_id',
  'api_key_id',
  'ip',
  'user_agent',
  'ms',
];

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
    .select(...columns)
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(filter.offset)
    .limit(filter.limit);
  return { items: rows.map(toRequest), total: Number(counted?.n ?? 0) };
}

/** One request with facts and trace; null when it was not recorded, or is of another tenant. */
export async function find(
  ctx: Ctx,
  id: string,
): Promise<(RecordedRequest & { facts: unknown; trace: unknown }) | null> {
  const row = await visible(ctx).where({ id }).first();
  if (!row) return null;
  return { ...toRequest(row), facts: readJsonOrNull(row.facts), trace: readJsonOrNull(row.trace) };
}

/**
 * A request without a known caller is nobody's, and shown to the tenant that runs the installation: by a term that no
 * index fits, so that a page is read along the times and not sorted out of all rows.
 */
function visible(ctx: Ctx): Knex.QueryBuilder {
  const { tenantId } = ctx;
  return tenantId === DEFAULT_TENANT_ID
    ? ctx.db.knex(TABLE).whereRaw('coalesce(tenant_id, ?) = ?', [tenantId, tenantId])
    : ctx.db.knex(TABLE).where('tenant_id', tenantId);
}

const toRequest = (row: Record<string, unknown>): RecordedRequest => ({
  id: row.id as string,
  at: row.at as string,
  method: row.method as string,
  route: row.route as string,
  status: row.status as number,
  code: row.code as string | null,
  bucket: row.bucket as string | null,
  licenseId: row.license_id as string | null,
  apiKeyId: row.api_key_id as string | null,
  ip: row.ip as string,
  userAgent: row.user_agent as string | null,
  ms: row.ms as number,
});
