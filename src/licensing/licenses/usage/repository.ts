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
