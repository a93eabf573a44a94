import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';

/** Read models of `appctl doctor` over all tenants (licensing section 8.8). Each answers at most this many rows. */
const MAX_FOUND = 20;

/** A license with more live seats than it has now, and since when the oldest of them lives. */
export interface Overbooked {
  id: string;
  used: number;
  max: number;
  since: string;
}

/** Seats as they are counted at activation: machines, and leases that have not run out (D27). */
export async function listOverbooked(ctx: Ctx): Promise<Overbooked[]> {
  const now = ctx.now();
  const rows = await ctx.db
    .knex('licenses as l')
    .join('license_activations as a', 'a.license_id', 'l.id')
    .whereNull('a.ended_at')
    .andWhere((live) => live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', now))
    .groupBy('l.id', 'l.max_activations')
    .havingRaw('count(*) > l.max_activations')
    .orderBy('l.id')
    .limit(MAX_FOUND)
    .select('l.id', 'l.max_activations as max')
    .count('* as used')
    .min('a.activated_at as since');
  return rows.map((row) => ({
    id: String(row.id),
    used: Number(row.used),
    max: Number(row.max),
    since: String(row.since),
  }));
}

/** The highest maxActivations that a license had since a time, by the changes in its timeline; 0 without a change. */
export async function highestLimitSince(ctx: Ctx, licenseId: string, since: string): Promise<number> {
  const rows = await ctx.db
    .knex('events')
    .where({ subject: licenseId })
    .andWhere('at', '>=', since)
    .whereNotNull('diff')
    .select('diff');
  const limits = rows.flatMap(
    (row) => readJsonOrNull<{ maxActivations?: unknown[] }>(row.diff)?.maxActivations ?? [],
  );
  return Math.max(0, ...limits.map(Number).filter(Number.isFinite));
}

/** Licenses on which one machine lives twice. */
export async function listDoubleMachines(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .knex('license_activations')
    .whereNull('ended_at')
    .groupBy('license_id', 'machine_id')
    .havingRaw('count(*) > 1')
    .limit(MAX_FOUND)
    .select('license_id');
  return rows.map((row) => row.license_id);
}

/** Licenses without a current key, or with several; honeypots have none. */
export async function listWithoutOneKey(ctx: Ctx): Promise<string[]> {
  const { knex } = ctx.db;
  const rows = await knex('licenses as l')
    .leftJoin('license_keys as k', (on) => on.on('k.license_id', 'l.id').andOnVal('k.kind', 'CURRENT'))
    .where('l.honeypot', false)
    .groupBy('l.id')
    .havingRaw('count(k.id) <> 1')
    .limit(MAX_FOUND)
    .select('l.id');
  return rows.map((row) => row.id);
}

/** Revoked or trashed licenses on which a machine still lives. */
export async function listEndedButLive(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .knex('licenses as l')
    .join('license_activations as a', 'a.license_id', 'l.id')
    .whereNull('a.ended_at')
    .andWhere((ended) => ended.where('l.status', 'REVOKED').orWhereNotNull('l.deleted_at'))
    .distinct('l.id')
    .limit(MAX_FOUND);
  return rows.map((row) => row.id);
}

/** Licenses whose counter is not its start and the records since added up. */
export async function listWrongCounters(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .knex('licenses as l')
    .leftJoin('license_usage as u', (on) => on.on('u.license_id', 'l.id').andOn('u.epoch', 'l.usage_epoch'))
    .groupBy('l.id', 'l.current_uses', 'l.usage_base')
    .havingRaw('l.current_uses <> l.usage_base + coalesce(sum(u.quantity), 0)')
    .orderBy('l.id')
    .limit(MAX_FOUND)
    .select('l.id');
  return rows.map((row) => row.id);
}

export interface StoredKey {
  id: string;
  licenseId: string;
  digest: string;
  sealed: string;
}

/** Stored license keys in the order of their ids, so many after one of them. */
export async function listKeysAfter(ctx: Ctx, after: string, limit: number): Promise<StoredKey[]> {
  const rows = await ctx.db
    .knex('license_keys')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .select('id', 'license_id', 'digest', 'key_enc');
  return rows.map((row) => ({
    id: row.id,
    licenseId: row.license_id,
    digest: row.digest,
    sealed: row.key_enc,
  }));
}

/** Products that have signing keys but none in use. */
export async function listProductsWithoutActiveKey(ctx: Ctx): Promise<string[]> {
  const { knex } = ctx.db;
  const rows = await knex('license_products as p')
    .join('license_signing_keys as k', 'k.product_id', 'p.id')
    .where('k.role', 'ROOT')
    .groupBy('p.id', 'p.slug')
    .havingRaw("sum(CASE WHEN k.status = 'ACTIVE' THEN 1 ELSE 0 END) = 0")
    .orderBy('p.slug')
    .limit(MAX_FOUND)
    .select('p.slug');
  return rows.map((row) => row.slug);
}

/** Signing keys whose private part is kept here, sealed. */
export async function listHeldSigningKeys(
  ctx: Ctx,
): Promise<{ id: string; keyId: string; sealed: string }[]> {
  const rows = await ctx.db
    .knex('license_signing_keys')
    .whereNotNull('private_key')
    .orderBy('id')
    .select('id', 'key_id', 'private_key');
  return rows.map((row) => ({ id: row.id, keyId: row.key_id, sealed: row.private_key }));
}
