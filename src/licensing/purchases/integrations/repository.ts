import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { isId } from '#kernel/ids.ts';
import { ids } from '#licensing/contract/ids.ts';
import { type Integration, integrationRecord, mappingRecord } from './record.ts';

/** An integration with its sealed secrets. */
export interface StoredIntegration extends Integration {
  secretEnc: string;
  previousSecretEnc: string | null;
}

/** A row; its secrets stay sealed. */
type Row = { secret_enc: string; previous_secret_enc: string | null };

const TABLE = integrationRecord.table;

const liveById = statement<{ id: string }, Row>((q, p) =>
  q(TABLE).where('id', p('id')).whereNull('deleted_at').select('*'),
);

/** A live integration of any tenant: the endpoint knows the tenant from it. */
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
  ofTenant(ctx).where(isId(ids.integration, idOrName) ? { id: idOrName } : { name: idOrName });

const ofTenant = (ctx: Ctx): Knex.QueryBuilder =>
  soldWithin(ctx, ctx.db.knex(TABLE).where({ tenant_id: ctx.tenantId }).whereNull('deleted_at'));

/** Narrows integrations, for who is confined to products, to the ones that sell them. */
export function soldWithin(ctx: Ctx, query: Knex.QueryBuilder): Knex.QueryBuilder {
  if (!scopeOf(ctx.actor, 'license_product')) return query;
  const sold = ctx.db.knex(`${mappingRecord.table} as m`).whereRaw('m.config_id = ??', [`${TABLE}.id`]);
  return query.whereExists(visibleTo(ctx, sold, { license_product: 'm.product_id' }));
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
  await ctx.db.knex(TABLE).insert(integrationRecord.part(config));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, config: StoredIntegration): Promise<void> {
  const { lastEventAt: _writtenBehind, ...values } = config;
  await ctx.db.knex(TABLE).where({ id: config.id }).update(integrationRecord.part(values));
}

/** Puts it among the deleted: its events and claims name licenses that were paid for. Its mappings go. */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  const now = ctx.now();
  await ctx.db.knex(mappingRecord.table).where({ config_id: id }).delete();
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
  ...integrationRecord.read(row),
  secretEnc: row.secret_enc,
  previousSecretEnc: row.previous_secret_enc,
});
