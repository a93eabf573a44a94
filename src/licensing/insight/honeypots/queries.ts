import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { type Hit, hitRecord } from './record.ts';

/** A honeypot of its own, or a license with a replaced key that became one; the key stays sealed. */
export interface StoredHoneypot {
  /** Of the license row. */
  id: string;
  isCanary: boolean;
  label: string | null;
  productId: string;
  productName: string;
  productSlug: string;
  sealedKey: string;
  keyPrefix: string;
  blockIpSeconds: number | null;
  /** Uses in all. */
  hits: number;
  lastHitAt: string | null;
  createdAt: string;
}

interface Row {
  id: string;
  honeypot: unknown;
  honeypot_label: string | null;
  product_id: string;
  product_name: string;
  product_slug: string;
  key_enc: string;
  prefix: string;
  block_ip_seconds: number | null;
  hits: unknown;
  last_hit_at: string | null;
  created_at: string;
}

/** Keys that answer as unknown and tell of it: canaries, and replaced keys whose overlap is over (6.9). */
function baited(ctx: Ctx): Knex.QueryBuilder {
  const now = ctx.now();
  const keys = ctx.db
    .knex('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .join('license_products as p', 'p.id', 'l.product_id')
    .where('l.tenant_id', ctx.tenantId)
    .whereNull('l.deleted_at')
    .whereNot('k.kind', 'CURRENT')
    .andWhere((bait) => bait.where('k.kind', 'HONEYPOT').orWhere('k.then_honeypot', true))
    .andWhere((over) => over.whereNull('k.overlap_until').orWhere('k.overlap_until', '<=', now));
  return visibleTo(ctx, keys, { license_product: 'l.product_id' });
}

const columns = [
  'l.id',
  'l.honeypot',
  'l.honeypot_label',
  'l.product_id',
  'p.name as product_name',
  'p.slug as product_slug',
  'k.key_enc',
  'k.prefix',
  'l.block_ip_seconds',
  'k.created_at',
];

function described(ctx: Ctx, query: Knex.QueryBuilder): Knex.QueryBuilder {
  const { knex } = ctx.db;
  const hits = () => knex('license_honeypot_hits as h').whereRaw('h.license_key_id = k.id');
  return query.select(
    ...columns,
    hits().sum('h.count').as('hits'),
    hits().max('h.last_at').as('last_hit_at'),
  );
}

/** One page, newest first. */
export async function list(
  ctx: Ctx,
  { offset, limit }: Slice,
): Promise<{ items: StoredHoneypot[]; total: number }> {
  const [counted] = await baited(ctx).count({ n: '*' });
  const rows: Row[] = await described(ctx, baited(ctx)).orderBy('k.id', 'desc').offset(offset).limit(limit);
  return { items: rows.map(toHoneypot), total: Number(counted?.n ?? 0) };
}

/** The newest of a license's honeypot keys; null when it has none, and for another tenant. */
export async function find(ctx: Ctx, id: string): Promise<StoredHoneypot | null> {
  const row: Row | undefined = await described(ctx, baited(ctx))
    .where('l.id', id)
    .orderBy('k.id', 'desc')
    .first();
  return row ? toHoneypot(row) : null;
}

const toHoneypot = (row: Row): StoredHoneypot => ({
  id: row.id,
  isCanary: row.honeypot === true || row.honeypot === 1,
  label: row.honeypot_label,
  productId: row.product_id,
  productName: row.product_name,
  productSlug: row.product_slug,
  sealedKey: row.key_enc,
  keyPrefix: row.prefix,
  blockIpSeconds: row.block_ip_seconds,
  hits: Number(row.hits ?? 0),
  lastHitAt: row.last_hit_at,
  createdAt: row.created_at,
});

/** One page of the report of a honeypot or a license, newest first. */
export async function listHits(
  ctx: Ctx,
  licenseId: string,
  { offset, limit }: Slice,
): Promise<{ items: Hit[]; total: number }> {
  const hits = ctx.db
    .knex('license_honeypot_hits as h')
    .join('license_keys as k', 'k.id', 'h.license_key_id')
    .join('licenses as l', 'l.id', 'k.license_id')
    .where({ 'l.id': licenseId, 'l.tenant_id': ctx.tenantId })
    .modify((query) => void visibleTo(ctx, query, { license_product: 'l.product_id' }));
  const [counted] = await hits.clone().count({ n: '*' });
  const rows = await hits
    .select('h.*', 'k.prefix')
    .orderBy('h.last_at', 'desc')
    .orderBy('h.id', 'desc')
    .offset(offset)
    .limit(limit);
  return { items: rows.map(toHit), total: Number(counted?.n ?? 0) };
}

const toHit = (row: { prefix: string }): Hit => ({ ...hitRecord.read(row), keyPrefix: row.prefix });

const blockingHits = statement<{ since: string }, { ip: string; last_at: string; block_ip_seconds: number }>(
  (q, p) =>
    q('license_honeypot_hits as h')
      .join('license_keys as k', 'k.id', 'h.license_key_id')
      .join('licenses as l', 'l.id', 'k.license_id')
      .where('h.last_at', '>', p('since'))
      .where('l.block_ip_seconds', '>', 0)
      .orderBy('h.last_at')
      .select('h.ip', 'h.last_at', 'l.block_ip_seconds'),
);

/** Uses since a time of keys that shut their users out, of all tenants. */
export const listBlockingHits = async (
  ctx: Ctx,
  since: string,
): Promise<{ ip: string; lastAt: string; blockIpSeconds: number }[]> =>
  (await blockingHits.all(ctx.db, { since })).map((row) => ({
    ip: row.ip,
    lastAt: row.last_at,
    blockIpSeconds: row.block_ip_seconds,
  }));
