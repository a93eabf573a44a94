import type { Ctx } from '../context.ts';
import { readJson, readJsonOrNull } from '../db/columns.ts';
import type { Knex } from '../db/database.ts';
import { visibleTo } from '../db/visible.ts';

/** One line of the timeline of everything (licensing 4.3, Event). */
export interface TimelineEvent {
  id: string;
  type: string;
  service: string;
  /** Id of the thing that it happened to. */
  subject: string;
  /** ISO 8601 UTC. */
  at: string;
  actor: { kind: string; id: string | null; label: string | null };
  requestId: string | null;
  data: Record<string, unknown>;
  /** `{field: [before, after]}`. */
  diff: Record<string, unknown> | null;
}

/** Which events; all of the tenant when empty. */
export interface EventFilter {
  subject?: string | undefined;
  type?: string | undefined;
}

/** A place in the timeline: events after it come next. */
export interface EventCursor {
  at: string;
  /** Of the event there; empty before the first one of that moment. */
  id: string;
}

/** The newest events, oldest of them first. */
export async function listNewestEvents(
  ctx: Ctx,
  filter: EventFilter,
  limit: number,
): Promise<TimelineEvent[]> {
  const rows = await matching(ctx, filter)
    .orderBy([
      { column: 'at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(limit);
  return rows.reverse().map(toEvent);
}

/** The next events after a place, oldest first; there are no totals, since the table only grows. */
export async function listEventsAfter(
  ctx: Ctx,
  filter: EventFilter,
  { at, id }: EventCursor,
  limit: number,
): Promise<TimelineEvent[]> {
  const rows = await matching(ctx, filter)
    .where('at', '>=', at)
    .where((later) => later.where('at', '>', at).orWhere('id', '>', id))
    .orderBy(['at', 'id'])
    .limit(limit);
  return rows.map(toEvent);
}

function matching(ctx: Ctx, { subject, type }: EventFilter): Knex.QueryBuilder {
  const query = ctx.db.knex('events');
  if (subject === undefined) query.where({ tenant_id: ctx.tenantId });
  // A term that no index fits: by the tenant's SQLite would walk through everybody's events to find those of one.
  else query.where({ subject }).whereRaw("coalesce(tenant_id, '') = ?", [ctx.tenantId]);
  if (type !== undefined) query.where({ type });
  // Of other things only their own capability knows to which product they belong.
  visibleTo(ctx, query, { license_product: 'subject' });
  return query;
}

const toEvent = (row: Record<string, unknown>): TimelineEvent => ({
  id: row.id as string,
  type: row.type as string,
  service: row.service as string,
  subject: row.subject as string,
  at: row.at as string,
  actor: {
    kind: row.actor_kind as string,
    id: row.actor_id as string | null,
    label: row.actor_label as string | null,
  },
  requestId: row.request_id as string | null,
  data: readJson(row.data),
  diff: readJsonOrNull(row.diff),
});
