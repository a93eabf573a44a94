import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull, writeJson, writeJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { OwnLimit } from '#kernel/http/rate-limit.ts';

export type Service = 'license' | 'store';

export interface ApiKey {
  id: string;
  service: Service;
  tenantId: string;
  name: string;
  prefix: string;
  scope: string | null;
  scopes: string[];
  productIds: string[] | null;
  ipAllowlist: string[];
  allowedOrigins: string[];
  limits: Record<string, OwnLimit> | null;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  createdAt: string;
}

/** What authentication needs of a row; lists stay JSON text until somebody asks for them. */
export interface Credential {
  id: string;
  service: Service;
  tenant_id: string;
  name: string;
  scope: string | null;
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
  'product_ids',
  'ip_allowlist',
  'allowed_origins',
  'limits',
  'expires_at',
  'revoked_at',
  'last_used_at',
] as const;

const byHash = statement<{ hash: string }, Credential>((q, p) =>
  q('api_keys')
    .where('key_hash', p('hash'))
    .select(...columns),
);

const byPreviousHash = statement<{ hash: string; now: string }, Credential>((q, p) =>
  q('api_keys')
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
  q('api_keys')
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
  q('api_keys')
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
  await ctx.db.knex('api_keys').insert({
    id: key.id,
    service: key.service,
    tenant_id: key.tenantId,
    name: key.name,
    prefix: key.prefix,
    key_hash: keyHash,
    scope: key.scope,
    scopes: writeJson(key.scopes),
    product_ids: writeJsonOrNull(key.productIds),
    ip_allowlist: writeJson(key.ipAllowlist),
    allowed_origins: writeJson(key.allowedOrigins),
    limits: writeJsonOrNull(key.limits),
    expires_at: key.expiresAt,
    created_by: ctx.actor.label,
    created_at: key.createdAt,
    updated_at: key.createdAt,
  });
}

export async function find(ctx: Ctx, id: string): Promise<ApiKey | null> {
  const row = await ctx.db.knex('api_keys').where({ id, tenant_id: ctx.tenantId }).first();
  return row ? toApiKey(row) : null;
}

/** The row, locked until the end of the transaction; null when there is none. */
export async function lock(ctx: Ctx, id: string): Promise<ApiKey | null> {
  const row = await ctx.db.knex('api_keys').where({ id, tenant_id: ctx.tenantId }).forUpdate().first();
  return row ? toApiKey(row) : null;
}

export async function list(
  ctx: Ctx,
  filter: { service?: Service | undefined; offset: number; limit: number },
): Promise<{ items: ApiKey[]; total: number }> {
  const query = ctx.db.knex('api_keys').where({ tenant_id: ctx.tenantId });
  if (filter.service) query.where({ service: filter.service });
  const [counted] = await query.clone().count({ n: '*' });
  const rows = await query.orderBy('id').offset(filter.offset).limit(filter.limit);
  return { items: rows.map(toApiKey), total: Number(counted?.n ?? 0) };
}

export async function update(ctx: Ctx, key: ApiKey): Promise<void> {
  await ctx.db
    .knex('api_keys')
    .where({ id: key.id })
    .update({
      name: key.name,
      product_ids: writeJsonOrNull(key.productIds),
      ip_allowlist: writeJson(key.ipAllowlist),
      allowed_origins: writeJson(key.allowedOrigins),
      limits: writeJsonOrNull(key.limits),
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
      updated_at: ctx.now(),
    });
}

/** Puts a new key in place; the old one stays valid until `previousUntil`. */
export async function rotate(
  ctx: Ctx,
  id: string,
  next: { keyHash: string; prefix: string; previousUntil: string | null },
): Promise<void> {
  const { knex } = ctx.db;
  await knex('api_keys')
    .where({ id })
    .update({
      previous_key_hash: next.previousUntil === null ? null : knex.ref('key_hash'),
      previous_until: next.previousUntil,
      key_hash: next.keyHash,
      prefix: next.prefix,
      updated_at: ctx.now(),
    });
}

function toApiKey(row: Record<string, unknown>): ApiKey {
  return {
    id: row.id as string,
    service: row.service as Service,
    tenantId: row.tenant_id as string,
    name: row.name as string,
    prefix: row.prefix as string,
    scope: row.scope as string | null,
    scopes: readJson(row.scopes),
    productIds: readJsonOrNull(row.product_ids),
    ipAllowlist: readJson(row.ip_allowlist),
    allowedOrigins: readJson(row.allowed_origins),
    limits: readJsonOrNull(row.limits),
    expiresAt: row.expires_at as string | null,
    revokedAt: row.revoked_at as string | null,
    lastUsedAt: row.last_used_at as string | null,
    createdAt: row.created_at as string,
  };
}
