import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Changes } from '#kernel/service/diff.ts';
import type { TimelineEvent } from '../view.ts';

/** The newest entries of a license's timeline, oldest of them first; also of one that was purged. */
export async function listTimeline(ctx: Ctx, licenseId: string, limit: number): Promise<TimelineEvent[]> {
  const query = ctx.db
    .knex('events')
    .where({ subject: licenseId, service: 'license', tenant_id: ctx.tenantId });
  if (scopeOf(ctx.actor, 'license_product')) {
    // Of what product a purged license was is not known any more.
    const license = ctx.db.knex('licenses as l').where('l.id', licenseId);
    query.whereExists(visibleTo(ctx, license, { license_product: 'l.product_id' }));
  }
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .select('id', 'type', 'at', 'actor_kind', 'actor_id', 'actor_label', 'request_id', 'data', 'diff');
  return rows.reverse().map((row) => ({
    id: row.id,
    type: row.type,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, label: row.actor_label },
    requestId: row.request_id,
    data: readJson(row.data),
    diff: readJsonOrNull<Changes>(row.diff),
  }));
}
