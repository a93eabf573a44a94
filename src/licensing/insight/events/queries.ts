import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Asked, Selection } from '#kernel/db/selection/spec.ts';
import { statement } from '#kernel/db/statement.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { EventView } from './view.ts';

type Rows = Selection<EventView>;

/** @param own narrows to events of the tenant */
const rowsOf = (own: (query: Knex.QueryBuilder, tenantId: string) => void): Rows =>
  selection<EventView, Record<string, unknown>>({
    from: ({ db }) => db.knex('events'),
    id: 'events.id',
    scope(query, ctx) {
      own(query, ctx.tenantId);
      licenses.visibleEvents(ctx, query, 'events.subject');
    },
    columns: ['events.*'],
    read: toEvent,
    filters: {
      type: filter.text({ label: 'Event', column: 'events.type' }),
      licenseId: filter.text({ label: 'License', column: 'events.subject' }),
      subject: filter.text({ label: 'Of', column: 'events.subject' }),
      actor: filter.text({
        label: 'Actor',
        column: (query, actor) =>
          void query.where((any) =>
            any
              .where('events.actor_id', actor)
              .orWhere('events.actor_label', actor)
              .orWhere('events.actor_kind', actor),
          ),
      }),
      requestId: filter.text({ label: 'Request', column: 'events.request_id' }),
      '': filter.times({ label: 'Time', column: 'events.at' }),
    },
    sorts: { at: 'events.at' },
    initial: '-at',
  });

const everything = rowsOf((query, tenantId) => void query.where('events.tenant_id', tenantId));

// A term that no index fits: by the tenant's SQLite would walk through everybody's events to find those of one thing.
const ofOneThing = rowsOf(
  (query, tenantId) => void query.whereRaw("coalesce(events.tenant_id, '') = ?", [tenantId]),
);

const fitting = ({ filters = {} }: Asked): Rows =>
  filters.subject === undefined && filters.licenseId === undefined ? everything : ofOneThing;

/** The timeline of everything that the actor may see, the newest first. It only grows: it is read by cursor. */
export const eventRows: Rows = {
  ...everything,
  after: (ctx, asked) => fitting(asked).after(ctx, asked),
  stream: (ctx, asked) => fitting(asked).stream(ctx, asked),
};

function toEvent(row: Record<string, unknown>): EventView {
  const subject = row.subject as string;
  return {
    id: row.id as string,
    type: row.type as string,
    at: row.at as string,
    actor: {
      kind: row.actor_kind as string,
      id: row.actor_id as string | null,
      label: row.actor_label as string | null,
    },
    subject,
    licenseId: subject.startsWith('lic_') ? subject : null,
    requestId: row.request_id as string | null,
    data: readJson(row.data),
    diff: readJsonOrNull(row.diff),
  };
}

/** Events of the ctx's tenant since a time, the oldest first. @param from ISO 8601 UTC */
export const idsSince = (ctx: Ctx, from: string): Promise<{ id: string; at: string }[]> =>
  since.all(ctx.db, { tenant_id: ctx.tenantId, from });

const since = statement<{ tenant_id: string; from: string }, { id: string; at: string }>((q, p) =>
  q('events')
    .where('tenant_id', p('tenant_id'))
    .where('at', '>=', p('from'))
    .orderBy('at')
    .orderBy('id')
    .select('id', 'at'),
);
