import type { Ctx } from '#kernel/context.ts';
import { readJson, writeJson } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { EventStatus, Outcome } from '../outcome.ts';

const EVENTS = 'license_inbound_events';

/** An event on its way into the inbox; times are ISO 8601 UTC. */
export interface NewEvent {
  id: string;
  tenantId: string;
  configId: string;
  processorEventId: string;
  eventName: string;
  paymentId: string | null;
  orderId: string | null;
  raw: Buffer;
  /** Those that carried the signature. */
  headers: Record<string, string>;
  receivedAt: string;
  /** When it is taken up if nobody has processed it by then. */
  nextAttemptAt: string;
  spooled: boolean;
}

const columns = [
  'id',
  'tenant_id',
  'config_id',
  'processor_event_id',
  'event_name',
  'payment_id',
  'order_id',
  'body',
  'headers',
  'received_at',
  'next_attempt_at',
  'created_at',
] as const;

type Values = Record<(typeof columns)[number], string | null> & { spooled: number };

const insertRow = statement<Values>((q, p) =>
  q(EVENTS)
    .insert({
      ...p.row(...columns),
      status: 'RECEIVED',
      unmapped: '[]',
      spooled: q.raw('? = 1', [p('spooled')]),
    })
    .onConflict(['config_id', 'processor_event_id'])
    .ignore(),
);

/** Stores an event; false when the integration has one of that id already (D103). */
export const insert = async (ctx: Ctx, event: NewEvent): Promise<boolean> =>
  (await insertRow.run(ctx.db, {
    id: event.id,
    tenant_id: event.tenantId,
    config_id: event.configId,
    processor_event_id: event.processorEventId,
    event_name: event.eventName,
    payment_id: event.paymentId,
    order_id: event.orderId,
    body: event.raw.toString('base64'),
    headers: writeJson(event.headers),
    received_at: event.receivedAt,
    next_attempt_at: event.nextAttemptAt,
    created_at: ctx.now(),
    spooled: Number(event.spooled),
  })) === 1;

/** What a repeated delivery asks of the event that is there. */
export interface Earlier {
  id: string;
  eventName: string;
  status: EventStatus;
  receivedAt: string;
  nextAttemptAt: string | null;
  licensesCreated: number;
}

interface EarlierRow {
  id: string;
  event_name: string;
  status: EventStatus;
  received_at: string;
  next_attempt_at: string | null;
  licenses_created: number;
}

const earlierRow = statement<{ config_id: string; processor_event_id: string }, EarlierRow>((q, p) =>
  q(EVENTS)
    .where(p.row('config_id', 'processor_event_id'))
    .select('id', 'event_name', 'status', 'received_at', 'next_attempt_at', 'licenses_created'),
);

export async function findEarlier(
  ctx: Ctx,
  configId: string,
  processorEventId: string,
): Promise<Earlier | null> {
  const row = await earlierRow.first(ctx.db, {
    config_id: configId,
    processor_event_id: processorEventId,
  });
  if (!row) return null;
  return {
    id: row.id,
    eventName: row.event_name,
    status: row.status,
    receivedAt: row.received_at,
    nextAttemptAt: row.next_attempt_at,
    licensesCreated: row.licenses_created,
  };
}

const dueNow = statement<{ id: string; now: string }>((q, p) =>
  q(EVENTS)
    .where('id', p('id'))
    .andWhere((open) =>
      open
        .where('status', 'FAILED')
        .orWhere((waits) => waits.where('status', 'RECEIVED').where('next_attempt_at', '>', p('now'))),
    )
    .update({
      status: 'RECEIVED',
      next_attempt_at: p('now'),
      attempts: q.raw("CASE WHEN status = 'FAILED' THEN 0 ELSE attempts END"),
    }),
);

/** Takes a failed or waiting event up again at the next run of the job; others stay. */
export const makeDue = (ctx: Ctx, id: string): Promise<number> => dueNow.run(ctx.db, { id, now: ctx.now() });

// The status is part of the statement: for a parameter SQLite does not use the index of what waits.
const dueRows = statement<{ now: string; due_at_latest: string }, { id: string }>((q, p) =>
  q(EVENTS)
    .whereRaw("status = 'RECEIVED'")
    .andWhere((due) =>
      due.where('next_attempt_at', '<=', p('now')).orWhere('next_attempt_at', '>', p('due_at_latest')),
    )
    .orderBy('next_attempt_at')
    .limit(100)
    .select('id'),
);

/**
 * Ids of events of all tenants that are due, the longest waiting first; at most 100.
 *
 * @param latest ISO time: what is to wait for longer was put off by a clock that was set back since (M20)
 */
export const listDue = async (ctx: Ctx, latest: string): Promise<string[]> =>
  (await dueRows.all(ctx.db, { now: ctx.now(), due_at_latest: latest })).map(({ id }) => id);

const storedRow = statement<
  { id: string },
  { tenant_id: string; config_id: string; body: string; received_at: string }
>((q, p) => q(EVENTS).where('id', p('id')).select('tenant_id', 'config_id', 'body', 'received_at'));

/** What never changes of an event; null when there is none. An empty body has been removed by the retention. */
export async function findStored(ctx: Ctx, id: string) {
  const row = await storedRow.first(ctx.db, { id });
  if (!row) return null;
  const raw = Buffer.from(row.body, 'base64');
  return { tenantId: row.tenant_id, configId: row.config_id, raw, receivedAt: row.received_at };
}

/** How an event stands. */
export interface Standing {
  status: EventStatus;
  reason: Outcome['reason'];
  attempts: number;
  /** Products that no mapping named when it was processed last. */
  unmapped: string[];
}

const lockRow = statement<{ id: string }>((q, p) => q(EVENTS).where('id', p('id')).forUpdate().select('id'));
const standingRow = statement<
  { id: string },
  { status: EventStatus; reason: Outcome['reason']; attempts: number; unmapped: string }
>((q, p) => q(EVENTS).where('id', p('id')).select('status', 'reason', 'attempts', 'unmapped'));

/** Locks an event of this transaction and tells how it stands (C1). */
export async function lock(ctx: Ctx, id: string): Promise<Standing> {
  await lockRow.lock(ctx.db, { id });
  const row = await standingRow.first(ctx.db, { id });
  if (!row) throw new Error(`inbound event ${id} has gone`);
  return { ...row, unmapped: readJson(row.unmapped) };
}

const endRow = statement<{
  id: string;
  now: string;
  status: EventStatus;
  reason: string | null;
  error: string | null;
  created: number;
  unmapped: string;
}>((q, p) =>
  q(EVENTS)
    .where('id', p('id'))
    .update({
      ...p.row('status', 'reason', 'error', 'unmapped'),
      processed_at: p('now'),
      next_attempt_at: null,
      licenses_created: q.raw('licenses_created + ?', [p('created')]),
    }),
);

const MOST_ERROR = 1000;

/** Writes what became of a locked event. */
export const end = (ctx: Ctx, id: string, outcome: Outcome, unmapped: readonly string[]): Promise<number> =>
  endRow.run(ctx.db, {
    id,
    now: ctx.now(),
    status: outcome.status,
    reason: outcome.reason,
    error: outcome.message?.slice(0, MOST_ERROR) ?? null,
    created: outcome.licensesCreated,
    unmapped: writeJson(unmapped.slice(0, 1000)),
  });

const postponeRow = statement<{ id: string; attempts: number; at: string; error: string }>((q, p) =>
  q(EVENTS)
    .where('id', p('id'))
    .update({ attempts: p('attempts'), next_attempt_at: p('at'), error: p('error') }),
);

/** Leaves a locked event for a later attempt. */
export const postpone = (
  ctx: Ctx,
  id: string,
  attempts: number,
  at: string,
  error: string,
): Promise<number> => postponeRow.run(ctx.db, { id, attempts, at, error: error.slice(0, MOST_ERROR) });
