import type { Ctx } from '#kernel/context.ts';
import { readJson } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleByList } from '#kernel/db/visible.ts';
import { type ApiKey, apiKeyRecord, type Service } from './record.ts';

const TABLE = apiKeyRecord.table;

/** What authentication needs of a row; lists stay JSON text until somebody asks for them. */
export interface Credential {
  id: string;
  service: Service;
  tenant_id: string;
  name: string;
  scope: string | null;
  scopes: string;
  product_ids: string | null;
  ip_allowlist: string;
  allowed_origins: string;
  limits: string | null;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const columns = [
  'id',
  'service',
  'tenant_id',
  'name',
  'scope',
  'scopes',
  'product_ids',
  'ip_allowlist',
  'allowed_origins',
  'limits',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

const byHash = statement<{ hash: string }, Credential>((q, p) =>
  q(TABLE)
    .where('key_hash', p('hash'))
    .select(...columns),
);

const byPreviousHash = statement<{ hash: string; now: string }, Credential>((q, p) =>
  q(TABLE)
    .where('previous_key_hash', p('hash'))
    .where('previous_until', '>', p('now'))
    .select(...columns),
);

/**
 * The row of a credential, by the keyed hash of what was presented: the look-up is the comparison (M10).
 * A secret that was rotated away is found as long as it overlaps.
 */
export const findCredential = async (ctx: Ctx, hash: string, now: string): Promise<Credential | undefined> =>
  (await byHash.first(ctx.db, { hash })) ?? (await byPreviousHash.first(ctx.db, { hash, now }));

const liveOrigins = statement<{ service: Service; now: string }, { allowed_origins: string }>((q, p) =>
  q(TABLE)
    .where('service', p('service'))
    .whereNull('revoked_at')
    .andWhere((live) => live.whereNull('expires_at').orWhere('expires_at', '>', p('now')))
    .whereNot('allowed_origins', '[]')
    .select('allowed_origins'),
);

/** Origins that any live key of a service lists. */
export const listLiveOrigins = async (ctx: Ctx, service: Service): Promise<string[]> =>
  (await liveOrigins.all(ctx.db, { service, now: ctx.now() })).flatMap((row) =>
    readJson<string[]>(row.allowed_origins),
  );

const touch = statement<{ id: string; now: string; before: string }>((q, p) =>
  q(TABLE)
    .where('id', p('id'))
    .andWhere((where) => where.whereNull('last_used_at').orWhere('last_used_at', '<', p('before')))
    .update({ last_used_at: p('now') }),
);

/** Writes `last_used_at` unless it is younger than `before`. */
export const touchLastUsed = (
  ctx: Ctx,
  params: { id: string; now: string; before: string },
): Promise<number> => touch.run(ctx.db, params);

export async function insert(ctx: Ctx, key: ApiKey, keyHash: string): Promise<void> {
  await ctx.db.knex(TABLE).insert(apiKeyRecord.write(key, { keyHash, createdBy: ctx.actor.label }));
}

/** Narrows a query over keys of a service to those of the tenant that the actor may know of. @returns the same query */
const ofService = (ctx: Ctx, service: Service): Knex.QueryBuilder =>
  visibleByList(ctx, ctx.db.knex(TABLE).where({ service, tenant_id: ctx.tenantId }), 'product_ids');

export async function find(ctx: Ctx, service: Service, id: string): Promise<ApiKey | null> {
  const row = await ofService(ctx, service).where({ id }).first();
  return row ? apiKeyRecord.read(row) : null;
}

/** The row, locked until the end of the transaction; null when there is none. */
export async function lock(ctx: Ctx, service: Service, id: string): Promise<ApiKey | null> {
  const row = await ofService(ctx, service).where({ id }).forUpdate().first();
  return row ? apiKeyRecord.read(row) : null;
}

export async function update(ctx: Ctx, key: ApiKey): Promise<void> {
  const { lastUsedAt: _seen, ...values } = key;
  await ctx.db.knex(TABLE).where({ id: key.id }).update(apiKeyRecord.part(values));
}

/** Puts a new key in place; the old one stays valid until `previousUntil`. */
export async function rotate(
  ctx: Ctx,
  id: string,
  next: { keyHash: string; prefix: string; previousUntil: string | null; updatedAt: string },
): Promise<void> {
  const { knex } = ctx.db;
  await knex(TABLE)
    .where({ id })
    .update({
      previous_key_hash: next.previousUntil === null ? null : knex.ref('key_hash'),
      previous_until: next.previousUntil,
      key_hash: next.keyHash,
      prefix: next.prefix,
      updated_at: next.updatedAt,
    });
}
