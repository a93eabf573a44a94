import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { containsPattern } from '#kernel/db/dialect.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { type AuditRow, auditRecord } from './record.ts';

/** Which rows; all that the actor may see when empty. */
export interface AuditFilter {
  /** Id or label. */
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  /** Name of a resource. */
  readonly targetType?: string | undefined;
  readonly targetId?: string | undefined;
  readonly via?: string | undefined;
  readonly tenantId?: string | undefined;
  readonly requestId?: string | undefined;
  /** ISO times: from the first on, up to the second. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Looked for in action, target, actor, note and what changed, but for what is sealed. */
  readonly q?: string | undefined;
}

const { table: TABLE } = auditRecord;

/** One page of rows, newest first, and how many there are. */
export async function selectPage(
  ctx: Ctx,
  filter: AuditFilter,
  { offset, limit }: Slice,
): Promise<{ items: AuditRow[]; total: number }> {
  const query = matching(ctx, filter);
  const [counted] = await query.clone().count({ n: '*' });
  const rows: object[] = await query.orderBy('seq', 'desc').offset(offset).limit(limit);
  return { items: rows.map(auditRecord.read), total: Number(counted?.n ?? 0) };
}

/** The next rows before a place, newest first. @param before exclusive; null begins at the newest */
export async function listBefore(
  ctx: Ctx,
  filter: AuditFilter,
  before: number | null,
  limit: number,
): Promise<AuditRow[]> {
  const query = matching(ctx, filter);
  if (before !== null) query.where('seq', '<', before);
  const rows: object[] = await query.orderBy('seq', 'desc').limit(limit);
  return rows.map(auditRecord.read);
}

/** One row that the actor may see, or null. */
export async function find(ctx: Ctx, id: string): Promise<AuditRow | null> {
  const row: object | undefined = await matching(ctx, {}).where({ id }).first();
  return row ? auditRecord.read(row) : null;
}

const EQUAL = ['action', 'targetType', 'targetId', 'via', 'tenantId', 'requestId'] as const;
const SEARCHED = ['action', 'target_type', 'target_id', 'actor_label', 'note', 'details', 'before', 'after'];

const isId = (text: string): boolean => /^[a-z]{3}_[0-9A-Z]{26}$/.test(text);

function matching(ctx: Ctx, filter: AuditFilter): Knex.QueryBuilder {
  const query = visible(ctx, ctx.db.knex(TABLE));
  for (const name of EQUAL)
    if (filter[name] !== undefined) query.where(auditRecord.nameOf(name), filter[name]);
  const { actor, from, to, q } = filter;
  // One or the other: a question about both is answered by no index.
  if (actor !== undefined) query.where(isId(actor) ? 'actor_id' : 'actor_label', actor);
  if (from !== undefined) query.where('at', '>=', from);
  if (to !== undefined) query.where('at', '<=', to);
  if (q) {
    const pattern = containsPattern(q);
    query.where((any) => {
      for (const column of SEARCHED) any.orWhereRaw("lower(??) LIKE lower(?) ESCAPE '\\'", [column, pattern]);
    });
  }
  return query;
}

/**
 * Whoever works on the machine or for the whole installation sees all tenants; others see theirs. Somebody who is
 * confined to products or a vendor sees what they did themselves: a row does not say whose product it is about.
 */
function visible(ctx: Ctx, query: Knex.QueryBuilder): Knex.QueryBuilder {
  const { actor } = ctx;
  visibleTo(ctx, query, { tenant: 'tenant_id' });
  if (actor.scopes?.license_product || actor.scopes?.vendor) query.where('actor_id', actor.id);
  const isEverywhere = actor.isInstanceWide || ['cli', 'system', 'job'].includes(actor.kind);
  if (!isEverywhere) query.where('tenant_id', ctx.tenantId);
  return query;
}
