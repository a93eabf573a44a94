import type { Ctx } from '#kernel/context.ts';
import { type Refusals, refusalRecord } from './record.ts';

/** Requests that one limit has refused, with what is known of the API key. */
export interface LimitRefusal extends Refusals {
  /** null for an address. */
  apiKey: { id: string; name: string; tenantId: string } | null;
}

/** Which refusals a list holds; all of them when empty. */
export interface RefusalFilter {
  /** Id of an API key, or an address as it is limited. */
  subject?: string | undefined;
  bucket?: string | undefined;
  /** ISO time; only where a request was refused from then on. */
  since?: string | undefined;
}

/** Refusals of the whole installation, the most first: addresses belong to no tenant. */
export async function list(ctx: Ctx, filter: RefusalFilter = {}): Promise<LimitRefusal[]> {
  const query = ctx.db
    .knex('limit_refusals as r')
    .leftJoin('api_keys as k', (join) => join.on('k.id', 'r.subject').andOnVal('r.kind', '=', 'api_key'))
    .select('r.*', 'k.name as key_name', 'k.tenant_id as key_tenant')
    .orderBy([{ column: 'r.count', order: 'desc' }, { column: 'r.bucket' }, { column: 'r.subject' }]);
  if (filter.subject !== undefined) query.where('r.subject', filter.subject);
  if (filter.bucket !== undefined) query.where('r.bucket', filter.bucket);
  if (filter.since !== undefined) query.where('r.last_at', '>=', filter.since);
  const rows: Record<string, unknown>[] = await query;
  return rows.map((row) => ({ ...refusalRecord.read(row), apiKey: apiKeyOf(row) }));
}

const apiKeyOf = (row: Record<string, unknown>): LimitRefusal['apiKey'] =>
  row.key_tenant === null
    ? null
    : { id: row.subject as string, name: row.key_name as string, tenantId: row.key_tenant as string };
