import type { Ctx, StoredEvent } from '../context.ts';
import { readJson, writeJson, writeJsonOrNull } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import { defineIds } from '../ids.ts';
import { outboxBell } from './bell.ts';
import type { OutboxRow } from './row.ts';
import { versionColumn } from './subscriptions/repository.ts';

const ids = defineIds({ event: 'evt', outboxEntry: 'out' });

const eventColumns = [
  'id',
  'type',
  'service',
  'tenant_id',
  'subject',
  'at',
  'actor_kind',
  'actor_id',
  'actor_label',
  'request_id',
  'data',
  'diff',
  'audit_id',
] as const;
type EventValues = Record<(typeof eventColumns)[number], string | null>;

const insertEventRow = statement<EventValues, { version: number | null }>((q, p) =>
  q('events')
    .insert(p.row(...eventColumns))
    .returning(versionColumn(q) as never),
);
const insertOutboxRow = statement<{
  id: string;
  kind: string;
  target: string;
  ref_id: string;
  available_at: string;
  created_at: string;
}>((q, p) =>
  q('outbox').insert({
    ...p.row('id', 'kind', 'target', 'ref_id', 'available_at', 'created_at'),
    attempts: 0,
  }),
);

/** Rows of one statement: a job that tells of thousands would otherwise spend most of its time on trips. */
const ROWS_TOGETHER = 16;
const numbers = Array.from({ length: ROWS_TOGETHER }, (_, n) => n);
const insertEventRows = statement<Record<string, string | null>, { version: number | null }>((q, p) =>
  q('events')
    .insert(
      numbers.map((n) => Object.fromEntries(eventColumns.map((column) => [column, p(`${column}_${n}`)]))),
    )
    .returning(versionColumn(q) as never),
);

/**
 * Writes rows of the timeline, in the transaction of the change (architecture section 9).
 *
 * @returns the version of what receivers have subscribed to, as this transaction sees it; null before there is one
 */
export async function insertEvents(ctx: Ctx, events: readonly StoredEvent[]): Promise<number | null> {
  const rows = events.map((event) => eventValues(ctx, event));
  const written: Promise<{ version: number | null } | undefined>[] = [];
  while (rows.length >= ROWS_TOGETHER) {
    const numbered = rows
      .splice(0, ROWS_TOGETHER)
      .flatMap((row, n) => eventColumns.map((column) => [`${column}_${n}`, row[column]]));
    written.push(insertEventRows.first(ctx.db, Object.fromEntries(numbered)));
  }
  for (const row of rows) written.push(insertEventRow.first(ctx.db, row));
  return (await Promise.all(written))[0]?.version ?? null;
}

const eventValues = (ctx: Ctx, event: StoredEvent): EventValues => ({
  id: event.id,
  type: event.type,
  service: event.service,
  tenant_id: event.tenantId,
  subject: event.subject,
  at: event.at,
  actor_kind: ctx.actor.kind,
  actor_id: ctx.actor.id,
  actor_label: ctx.actor.label,
  request_id: ctx.origin.requestId,
  data: writeJson(event.data),
  diff: writeJsonOrNull(event.diff),
  audit_id: event.auditId ?? null,
});

/** Writes what is to be sent, in the transaction of the change: a rollback sends nothing, a crash loses nothing (M6). */
export async function insertOutbox(ctx: Ctx, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  ctx.afterCommit(() => ctx.memory.of(outboxBell).ring());
  for (const row of rows) {
    await insertOutboxRow.run(ctx.db, {
      id: ctx.newId(ids.outboxEntry),
      kind: row.kind,
      target: row.target,
      ref_id: row.refId,
      available_at: row.availableAt,
      created_at: ctx.now(),
    });
  }
}

/**
 * Changes what stored events of a subject say: only for what the law demands to be forgotten, since the timeline is
 * otherwise never rewritten.
 *
 * @param change gets the data of an event; null leaves it
 * @returns how many events were changed
 */
export async function rewriteEvents(
  ctx: Ctx,
  { subject, type }: { subject: string; type: string },
  change: (data: Record<string, unknown>) => Record<string, unknown> | null,
): Promise<number> {
  const rows: { id: string; data: string }[] = await ctx.db
    .knex('events')
    .where({ subject, type, tenant_id: ctx.tenantId })
    .select('id', 'data');
  let changed = 0;
  for (const { id, data } of rows) {
    const after = change(readJson(data));
    if (after === null) continue;
    await ctx.db
      .knex('events')
      .where({ id })
      .update({ data: writeJson(after) });
    changed += 1;
  }
  return changed;
}
