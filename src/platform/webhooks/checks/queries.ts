import type { Ctx } from '#kernel/context.ts';
import { WEBHOOK_KIND } from '../deliveries/source.ts';

import type { WebhookServiceName } from '../service.ts';

/** A webhook that gets nothing, of whatever tenant. */
export interface Disabled {
  id: string;
  name: string;
  reason: string | null;
  /** Deliveries in a row that failed before. */
  failures: number;
}

/** Webhooks of all tenants that are disabled, oldest first. */
export async function listDisabled(ctx: Ctx): Promise<Disabled[]> {
  const rows = await ctx.db
    .knex('webhooks')
    .where({ enabled: false })
    .orderBy(['disabled_at', 'id'])
    .select('id', 'name', 'disabled_reason', 'consecutive_failures');
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    reason: row.disabled_reason,
    failures: row.consecutive_failures,
  }));
}

/** Entries of the outbox that should have been taken before `before` (ISO time). */
export async function countOverdue(ctx: Ctx, before: string): Promise<number> {
  const [counted] = await ctx.db
    .knex('outbox')
    .where({ kind: WEBHOOK_KIND })
    .whereNull('done_at')
    .where('available_at', '<', before)
    .count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** A webhook whose deliveries wait after an attempt that failed. */
export interface Failing {
  webhookId: string;
  name: string;
  /** How many of them wait, and what came of the last attempt of one. */
  waiting: number;
  error: string;
}

/**
 * Webhooks of all tenants with deliveries that wait after a failed attempt, most first.
 *
 * @param service whose; those of both when absent
 */
export async function listFailing(ctx: Ctx, service?: WebhookServiceName): Promise<Failing[]> {
  // What waits is in an index of the outbox; that of deliveries holds all that were ever sent.
  const rows: { id: string; name: string; n: unknown; status: number | null; error: string | null }[] =
    await ctx.db
      .knex('outbox as o')
      .join('webhook_deliveries as d', 'd.id', 'o.ref_id')
      .join('webhooks as w', 'w.id', 'd.webhook_id')
      .where({ 'o.kind': WEBHOOK_KIND, 'd.state': 'PENDING', 'd.is_test': false })
      .whereNull('o.done_at')
      .where('d.attempts', '>', 0)
      .modify((query) => void (service !== undefined && query.where('w.service', service)))
      .groupBy('w.id', 'w.name')
      .select('w.id', 'w.name')
      .count({ n: '*' })
      .max({ status: 'd.last_status', error: 'd.last_error' });
  return rows
    .map(({ id, name, n, status, error }) => ({
      webhookId: id,
      name,
      waiting: Number(n),
      error: error ?? (status === null ? 'no answer' : `the receiver answered ${status}`),
    }))
    .sort((a, b) => b.waiting - a.waiting);
}

/** Deliveries that were given up since a time, by webhook, most first. */
export async function failuresSince(
  ctx: Ctx,
  since: string,
): Promise<{ webhookId: string; failed: number }[]> {
  const rows: { webhook_id?: unknown; n?: string | number }[] = await ctx.db
    .knex('webhook_deliveries')
    .where('ended_at', '>=', since)
    .where({ state: 'FAILED', is_test: false })
    .groupBy('webhook_id')
    .select('webhook_id')
    .count({ n: '*' });
  return rows
    .map((row) => ({ webhookId: String(row.webhook_id), failed: Number(row.n) }))
    .sort((a, b) => b.failed - a.failed);
}
