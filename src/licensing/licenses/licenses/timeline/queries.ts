import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Changes } from '#kernel/service/diff.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import type { TimelineEvent } from '../view.ts';

/**
 * Narrows a query over events to those of the products that the actor sees, of their licenses and of their releases. Of
 * what product a purged license was is not known any more.
 *
 * @param subject column with the id of the thing that an event happened to
 * @returns the same query
 */
export function visibleEvents<Q extends Knex.QueryBuilder>(ctx: Ctx, query: Q, subject: string): Q {
  const own = scopeOf(ctx.actor, 'license_product');
  if (own === null) return query;
  const within = (table: string) =>
    visibleTo(ctx, ctx.db.knex(`${table} as s`).whereRaw('s.id = ??', [subject]), {
      license_product: 's.product_id',
    });
  query.where((any) =>
    any
      .whereIn(subject, [...own])
      .orWhereExists(within('licenses'))
      .orWhereExists(within('license_releases')),
  );
  return query;
}

/** Entries of a license's timeline, newest first; also of one that was purged. */
export async function timelineOf(
  ctx: Ctx,
  licenseId: string,
  { offset, limit }: Slice,
): Promise<{ items: TimelineEvent[]; total: number }> {
  const all = ctx.db
    .knex('events')
    .where({ subject: licenseId, service: 'license', tenant_id: ctx.tenantId });
  const query = visibleEvents(ctx, all, 'events.subject');
  const [counted] = await query.clone().count({ n: '*' });
  const rows = await query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .offset(offset)
    .limit(limit)
    .select('id', 'type', 'at', 'actor_kind', 'actor_id', 'actor_label', 'request_id', 'data', 'diff');
  const items = rows.map((row) => ({
    id: row.id,
    type: row.type,
    at: row.at,
    actor: { kind: row.actor_kind, id: row.actor_id, label: row.actor_label },
    requestId: row.request_id,
    data: readJson<TimelineEvent['data']>(row.data),
    diff: readJsonOrNull<Changes>(row.diff),
  }));
  return { items, total: Number(counted?.n ?? 0) };
}
