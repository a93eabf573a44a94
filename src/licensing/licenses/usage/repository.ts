import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull, writeJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';

/** One counted call. */
export interface UsageRecord {
  id: string;
  licenseId: string;
  tenantId: string;
  /** Which run of the counter it belongs to: a reset or a set begins the next one. */
  epoch: number;
  feature: string;
  quantity: number;
  /** The counter after this call. */
  counterAfter: number;
  /** The limit that was in force; null = unlimited. */
  maxUses: number | null;
  metadata: JsonObject | null;
  idempotencyKey: string | null;
  /** ISO 8601 UTC. */
  at: string;
}

const count = statement<
  { id: string; quantity: number; most: number; now: string },
  { current_uses: number; usage_epoch: number }
>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .whereRaw('current_uses + ? <= ?', [p('quantity'), p('most')])
    .update({ current_uses: q.raw('current_uses + ?', [p('quantity')]), updated_at: p('now') })
    .returning(['current_uses', 'usage_epoch']),
);

/**
 * Adds to the counter of a license unless that would exceed the limit (licensing 5.3).
 *
 * @param max the limit; null lets it count as far as a number is exact
 * @returns the counter afterwards and its epoch; null when nothing was added
 */
export async function addToCounter(
  ctx: Ctx,
  licenseId: string,
  quantity: number,
  max: number | null,
  now: string,
): Promise<{ current: number; epoch: number } | null> {
  const most = max ?? Number.MAX_SAFE_INTEGER;
  const row = await count.first(ctx.db, { id: licenseId, quantity, most, now });
  return row ? { current: row.current_uses, epoch: row.usage_epoch } : null;
}

const columns = [
  'id',
  'license_id',
  'tenant_id',
  'epoch',
  'feature',
  'quantity',
  'counter_after',
  'max_uses',
  'metadata',
  'idempotency_key',
  'at',
] as const;
type Values = Record<(typeof columns)[number], string | number | null>;

const insertRow = statement<Values>((q, p) => q('license_usage').insert(p.row(...columns)));

export async function insert(ctx: Ctx, one: UsageRecord): Promise<void> {
  await insertRow.run(ctx.db, {
    id: one.id,
    license_id: one.licenseId,
    tenant_id: one.tenantId,
    epoch: one.epoch,
    feature: one.feature,
    quantity: one.quantity,
    counter_after: one.counterAfter,
    max_uses: one.maxUses,
    metadata: writeJsonOrNull(one.metadata),
    idempotency_key: one.idempotencyKey,
    at: one.at,
  });
}

/** A record as the database gives it. */
export interface UsageRow {
  id: string;
  license_id: string;
  tenant_id: string;
  epoch: number;
  feature: string;
  quantity: number;
  counter_after: number;
  max_uses: number | null;
  metadata: string | null;
  idempotency_key: string | null;
  at: string;
}

const byKey = statement<{ license_id: string; key: string }, UsageRow>((q, p) =>
  q('license_usage')
    .where({ license_id: p('license_id'), idempotency_key: p('key') })
    .select(...columns),
);

/** The record that holds an idempotency key of the license, however old. */
export async function findByKey(ctx: Ctx, licenseId: string, key: string): Promise<UsageRecord | null> {
  const row = await byKey.first(ctx.db, { license_id: licenseId, key });
  return row ? toRecord(row) : null;
}

const releaseRow = statement<{ license_id: string; key: string }>((q, p) =>
  q('license_usage')
    .where({ license_id: p('license_id'), idempotency_key: p('key') })
    .update({ idempotency_key: null }),
);

/** Frees an idempotency key whose time is over, so that another call may hold it. */
export async function releaseKey(ctx: Ctx, licenseId: string, key: string): Promise<void> {
  await releaseRow.run(ctx.db, { license_id: licenseId, key });
}

const restart = statement<{ id: string; value: number; now: string }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .update({
      current_uses: p('value'),
      usage_base: p('value'),
      usage_epoch: q.raw('usage_epoch + 1'),
      updated_at: p('now'),
    }),
);

/** Lets the counter go on from a value: an epoch begins, and the value is what it holds without any record. */
export async function restartCounter(ctx: Ctx, licenseId: string, value: number): Promise<void> {
  await restart.run(ctx.db, { id: licenseId, value, now: ctx.now() });
}

export const toRecord = (row: UsageRow): UsageRecord => ({
  id: row.id,
  licenseId: row.license_id,
  tenantId: row.tenant_id,
  epoch: row.epoch,
  feature: row.feature,
  quantity: row.quantity,
  counterAfter: row.counter_after,
  maxUses: row.max_uses,
  metadata: readJsonOrNull<JsonObject>(row.metadata),
  idempotencyKey: row.idempotency_key,
  at: row.at,
});
