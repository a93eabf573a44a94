import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { text } from '#kernel/http/fields.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { type RecordedRequest, requestRecord } from './record.ts';

const TABLE = requestRecord.table;

const statusField = () =>
  text({ max: 3, form: { pattern: /^[1-5]\d\d$/, says: 'an HTTP status, like 404' } }).transform(Number);

/** Recorded requests that the actor may see, the newest first. */
export const requestRows = selection<RecordedRequest>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: visible,
  columns: requestRecord.written,
  read: requestRecord.read,
  filters: {
    licenseId: filter.text({ label: 'License', column: 'license_id' }),
    code: filter.text({ label: 'Code', column: 'code' }),
    status: filter.other('text', statusField(), {
      label: 'Status',
      apply: (query, status) => void query.where({ status }),
    }),
    failed: filter.flag({
      label: 'Failed',
      column: (query, hasFailed) => void query.where('status', hasFailed ? '>=' : '<', 400),
    }),
    ip: filter.text({ label: 'Address', column: 'ip' }),
    apiKeyId: filter.text({ label: 'API key', column: 'api_key_id' }),
    '': filter.times({ label: 'Time', column: 'at' }),
  },
  search: { placeholder: 'Path, code, address or request id', by: ['route', 'code', 'ip', 'id'] },
  sorts: { at: 'at' },
  initial: '-at',
});

/** One request with facts and trace; null when it was not recorded, or is of another tenant. */
export async function find(
  ctx: Ctx,
  id: string,
): Promise<(RecordedRequest & { facts: unknown; trace: unknown }) | null> {
  const query = ctx.db.knex(TABLE).where({ id });
  visible(query, ctx);
  const row = await query.first();
  if (!row) return null;
  return { ...requestRecord.read(row), facts: readJsonOrNull(row.facts), trace: readJsonOrNull(row.trace) };
}

/**
 * A request without a known caller is nobody's, and shown to the tenant that runs the installation: by a term that no
 * index fits, so that a page is read along the times and not sorted out of all rows.
 */
function visible(query: Knex.QueryBuilder, ctx: Ctx): void {
  const { tenantId } = ctx;
  if (tenantId === DEFAULT_TENANT_ID) query.whereRaw('coalesce(tenant_id, ?) = ?', [tenantId, tenantId]);
  else query.where('tenant_id', tenantId);
  if (!scopeOf(ctx.actor, 'license_product')) return;
  // What was asked about no license is for nobody who is confined to products.
  const license = ctx.db.knex('licenses as l').whereRaw('l.id = ??', [`${TABLE}.license_id`]);
  query.whereExists(visibleTo(ctx, license, { license_product: 'l.product_id' }));
}
