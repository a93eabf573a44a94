import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import { insertInto } from '#kernel/db/record-rows.ts';
import { statement } from '#kernel/db/statement.ts';
import { attemptRecord } from '../record.ts';
import type { WebhookServiceName } from '../service.ts';
import type { Attempt } from '../webhook.ts';
import type { Sender } from './sender.ts';

const senderColumns = [
  'w.id as webhook_id',
  'w.url',
  'w.secret_enc',
  'w.previous_secret_enc',
  'w.previous_until',
  'w.headers_enc',
] as const;

interface SenderRow {
  webhook_id: string;
  url: string;
  secret_enc: string;
  previous_secret_enc: string | null;
  previous_until: string | null;
  headers_enc: string | null;
}

const senderRow = statement<{ id: string }, SenderRow>((q, p) =>
  q('webhooks as w')
    .where('w.id', p('id'))
    .select(...senderColumns),
);

export async function findSender(ctx: Ctx, webhookId: string): Promise<Sender | null> {
  const row = await senderRow.first(ctx.db, { id: webhookId });
  return row ? toSender(row) : null;
}

/** A delivery that is to be attempted, with its webhook. */
export interface Waiting {
  id: string;
  tenantId: string;
  service: WebhookServiceName;
  enabled: boolean;
  /** Deliveries of the webhook that failed in a row. */
  failures: number;
  eventId: string;
  event: string;
  body: string;
  run: number;
  isPending: boolean;
  sender: Sender;
}

interface WaitingRow extends SenderRow {
  id: string;
  tenant_id: string;
  service: WebhookServiceName;
  enabled: boolean | number;
  consecutive_failures: number;
  event_id: string;
  event: string;
  body: string;
  run: number;
  state: string;
}

const waitingRow = statement<{ id: string }, WaitingRow>((q, p) =>
  q('webhook_deliveries as d')
    .join('webhooks as w', 'w.id', 'd.webhook_id')
    .where('d.id', p('id'))
    .select('d.id', 'd.tenant_id', 'd.event_id', 'd.event', 'd.body', 'd.run', 'd.state')
    .select('w.service', 'w.enabled', 'w.consecutive_failures', ...senderColumns),
);

/** null when it was deleted with its webhook or by its age. */
export async function findWaiting(ctx: Ctx, deliveryId: string): Promise<Waiting | null> {
  const row = await waitingRow.first(ctx.db, { id: deliveryId });
  if (!row) return null;
  return {
    id: row.id,
    tenantId: row.tenant_id,
    service: row.service,
    enabled: readFlag(row.enabled),
    failures: row.consecutive_failures,
    eventId: row.event_id,
    event: row.event,
    body: row.body,
    run: row.run,
    isPending: row.state === 'PENDING',
    sender: toSender(row),
  };
}

const toSender = (row: SenderRow): Sender => ({
  webhookId: row.webhook_id,
  url: row.url,
  secretEnc: row.secret_enc,
  previousSecretEnc: row.previous_secret_enc,
  previousUntil: row.previous_until,
  headersEnc: row.headers_enc,
});

/** Where a delivery stands after an attempt. */
export interface Standing {
  id: string;
  run: number;
  state: 'PENDING' | 'DELIVERED' | 'FAILED' | 'SKIPPED';
  attempts: number;
  nextAttemptAt: string | null;
  endedAt: string | null;
  lastStatus: number | null;
  lastError: string | null;
  lastMs: number;
}

const standRow = statement<{
  id: string;
  run: number;
  state: string;
  attempts: number;
  next_attempt_at: string | null;
  ended_at: string | null;
  last_status: number | null;
  last_error: string | null;
  last_ms: number;
}>((q, p) =>
  q('webhook_deliveries')
    .where('id', p('id'))
    .where('run', p('run'))
    .where('state', 'PENDING')
    .update(p.row('attempts', 'next_attempt_at', 'ended_at', 'last_status', 'last_error', 'last_ms'))
    .update('state', p('state')),
);

/** Whether the delivery was still on its way in this run, and now stands so. */
export const stand = async (ctx: Ctx, to: Standing): Promise<boolean> =>
  (await standRow.run(ctx.db, {
    id: to.id,
    run: to.run,
    state: to.state,
    attempts: to.attempts,
    next_attempt_at: to.nextAttemptAt,
    ended_at: to.endedAt,
    last_status: to.lastStatus,
    last_error: to.lastError,
    last_ms: to.lastMs,
  })) === 1;

const insertAttemptRow = insertInto(attemptRecord, 'deliveryId');

/** Adds what was sent and what came back to the log of a delivery. */
export const insertAttempt = (ctx: Ctx, deliveryId: string, attempt: Attempt): Promise<number> =>
  insertAttemptRow.run(ctx.db, attemptRecord.write(attempt, { deliveryId }));

const enabledRow = statement<{ id: string }, { enabled: unknown }>((q, p) =>
  q('webhooks').where('id', p('id')).select('enabled'),
);

export const isEnabled = async (ctx: Ctx, webhookId: string): Promise<boolean> =>
  readFlag((await enabledRow.first(ctx.db, { id: webhookId }))?.enabled);

const failuresRow = statement<{ id: string }, { enabled: unknown; consecutive_failures: number }>((q, p) =>
  q('webhooks').where('id', p('id')).select('enabled', 'consecutive_failures'),
);

/** Deliveries that failed in a row; null for a webhook that is disabled or gone. */
export async function findFailures(ctx: Ctx, webhookId: string): Promise<number | null> {
  const row = await failuresRow.first(ctx.db, { id: webhookId });
  return row && readFlag(row.enabled) ? row.consecutive_failures : null;
}

const forgetFailures = statement<{ id: string }>((q, p) =>
  q('webhooks')
    .where('id', p('id'))
    .where('consecutive_failures', '<>', 0)
    .update({ consecutive_failures: 0 }),
);

/** Any success ends a series of failures; where there is none the row is not touched. */
export const resetFailures = (ctx: Ctx, webhookId: string): Promise<number> =>
  forgetFailures.run(ctx.db, { id: webhookId });

const countRow = statement<{ id: string }, { consecutive_failures: number }>((q, p) =>
  q('webhooks')
    .where('id', p('id'))
    .update({ consecutive_failures: q.raw('consecutive_failures + 1') as never })
    .returning('consecutive_failures'),
);

/** Counts one more failed delivery in a row; how many those are now. Two workers cannot read the same number (M7). */
export const countFailure = async (ctx: Ctx, webhookId: string): Promise<number> =>
  (await countRow.first(ctx.db, { id: webhookId }))?.consecutive_failures ?? 0;

/** Disables a webhook; its name, or null when it is disabled or gone already: only one caller disables. */
export async function disable(ctx: Ctx, webhookId: string, reason: string): Promise<string | null> {
  const now = ctx.now();
  const [row] = await ctx.db
    .knex('webhooks')
    .where({ id: webhookId, enabled: true })
    .update({ enabled: false, disabled_at: now, disabled_reason: reason, updated_at: now })
    .returning('name');
  return row ? (row.name as string) : null;
}

/** A receiver that is enabled, as the writing of events needs it. */
export interface Subscription {
  readonly webhookId: string;
  readonly service: WebhookServiceName;
  readonly tenantId: string;
  readonly events: readonly string[];
  readonly productIds: readonly string[] | null;
  readonly redactEmail: boolean;
}

const subscriptionRows = statement<object, Record<string, unknown>>((q) =>
  q('webhooks')
    .where('enabled', true)
    .orderBy('id')
    .select('id', 'service', 'tenant_id', 'events', 'product_ids', 'redact_email'),
);

/** All that are enabled, of every tenant. */
export const listSubscriptions = async (ctx: Ctx): Promise<Subscription[]> =>
  (await subscriptionRows.all(ctx.db, {})).map((row) => ({
    webhookId: row.id as string,
    service: row.service as WebhookServiceName,
    tenantId: row.tenant_id as string,
    events: readJson(row.events),
    productIds: readJsonOrNull(row.product_ids),
    redactEmail: readFlag(row.redact_email),
  }));
