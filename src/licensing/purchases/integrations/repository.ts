import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { selectPage } from '#kernel/db/page.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { Integration, StoredProcessor } from './integration.ts';

/** A configuration with its sealed secrets. */
export interface StoredIntegration extends Integration {
  secretEnc: string;
  previousSecretEnc: string | null;
}

interface Row {
  id: string;
  tenant_id: string;
  name: string;
  processor: StoredProcessor;
  secret_enc: string;
  previous_secret_enc: string | null;
  previous_until: string | null;
  notification_url: string | null;
  enabled: boolean | number;
  last_event_at: string | null;
  created_at: string;
  updated_at: string;
}

const TABLE = 'license_inbound_configs';

const liveById = statement<{ id: string }, Row>((q, p) =>
  q(TABLE).where('id', p('id')).whereNull('deleted_at').select('*'),
);

/** A live configuration of any tenant: the endpoint knows the tenant from it. */
export async function findLive(ctx: Ctx, id: string): Promise<StoredIntegration | null> {
  const row = await liveById.first(ctx.db, { id });
  return row ? toConfig(row) : null;
}

/** Of the caller's tenant and not deleted; null otherwise. What has the form of an id is read as one. */
export async function find(ctx: Ctx, idOrName: string): Promise<StoredIntegration | null> {
  const row: Row | undefined = await own(ctx, idOrName).first();
  return row ? toConfig(row) : null;
}

/** As `find`, locked until the end of the transaction. */
export async function lock(ctx: Ctx, idOrName: string): Promise<StoredIntegration | null> {
  const row: Row | undefined = await own(ctx, idOrName).forUpdate().first();
  return row ? toConfig(row) : null;
}

const own = (ctx: Ctx, idOrName: string) =>
  ctx.db
    .knex(TABLE)
    .where(isId(ids.integration, idOrName) ? { id: idOrName } : { name: idOrName })
    .where({ tenant_id: ctx.tenantId })
    .whereNull('deleted_at');

/** One slice of the tenant's configurations, by name. */
export async function list(ctx: Ctx, slice: Slice): Promise<{ items: StoredIntegration[]; total: number }> {
  const query = ctx.db.knex(TABLE).where({ tenant_id: ctx.tenantId }).whereNull('deleted_at');
  const { rows, total } = await selectPage<Row>(query, slice);
  return { items: rows.map(toConfig), total };
}

/** Names that are taken, once nobody else of the tenant can take another one until the transaction ends. */
export async function lockNames(ctx: Ctx): Promise<ReadonlySet<string>> {
  await lockName(ctx.db, `inbound-names:${ctx.tenantId}`);
  const rows: { name: string }[] = await ctx.db
    .knex(TABLE)
    .where({ tenant_id: ctx.tenantId })
    .whereNull('deleted_at')
    .select('name');
  return new Set(rows.map(({ name }) => name));
}

/** Throws a unique violation for a taken name. */
export async function insert(ctx: Ctx, config: StoredIntegration): Promise<void> {
  await ctx.db.knex(TABLE).insert(toRow(config));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, config: StoredIntegration): Promise<void> {
  const { last_event_at: _writtenBehind, ...row } = toRow(config);
  await ctx.db.knex(TABLE).where({ id: config.id }).update(row);
}

/** Puts it among the deleted: its events and claims name licenses that were paid for. Its mappings go. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.knex('license_inbound_mappings').where({ config_id: id }).delete();
  await ctx.db
    .knex(TABLE)
    .where({ id })
    .update({ deleted_at: now, updated_at: now, previous_secret_enc: null, previous_until: null });
}

const touch = statement<{ id: string; now: string; before: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .andWhere((where) => where.whereNull('last_event_at').orWhere('last_event_at', '<', p('before')))
    .update({ last_event_at: p('now') }),
);

/** Writes `last_event_at` unless it is younger than `before`. */
export const touchLastEvent = (
  ctx: Ctx,
  params: { id: string; now: string; before: string },
): Promise<number> => touch.run(ctx.db, params);

const toConfig = (row: Row): StoredIntegration => ({
  id: row.id,
  tenantId: row.tenant_id,
  name: row.name,
  processor: row.processor,
  secretEnc: row.secret_enc,
  previousSecretEnc: row.previous_secret_enc,
  previousUntil: row.previous_until,
  notificationUrl: row.notification_url,
  enabled: readFlag(row.enabled),
  lastEventAt: row.last_event_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (config: StoredIntegration): Row => ({
  id: config.id,
  tenant_id: config.tenantId,
  name: config.name,
  processor: config.processor,
  secret_enc: config.secretEnc,
  previous_secret_enc: config.previousSecretEnc,
  previous_until: config.previousUntil,
  notification_url: config.notificationUrl,
  enabled: config.enabled,
  last_event_at: config.lastEventAt,
  created_at: config.createdAt,
  updated_at: config.updatedAt,
});
