import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { type Hit, hitRecord } from './record.ts';
import { HONEYPOT_KINDS } from './view.ts';

/** A honeypot of its own, or a license with a replaced key that became one; the key stays sealed. */
export interface StoredHoneypot {
  /** Of the license row. */
  id: string;
  keyId: string;
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
  key_id: string;
  honeypot: unknown;
  honeypot_label: string | null;
  product_id: string;
  product_name: string;
  product_slug: string;
  key_enc: string;
  prefix: string;
  block_ip_seconds: number | null;
  created_at: string;
}

/** Keys that answer as unknown and tell of it: canaries, and replaced keys whose overlap is over (6.9). */
const baited = (ctx: Ctx): Knex.QueryBuilder =>
  ctx.db
    .knex('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .join('license_products as p', 'p.id', 'l.product_id')
    .whereNull('l.deleted_at')
    .whereNot('k.kind', 'CURRENT')
    .andWhere((bait) => bait.where('k.kind', 'HONEYPOT').orWhere('k.then_honeypot', true))
    .andWhere((over) => over.whereNull('k.overlap_until').orWhere('k.overlap_until', '<=', ctx.now()));

const columns = [
  'l.id',
  'k.id as key_id',
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

/** How often each key of a page was used; one question for all of them. */
async function withUses({ db }: Ctx, rows: StoredHoneypot[]): Promise<StoredHoneypot[]> {
  const keyIds = rows.map(({ keyId }) => keyId);
  const found: { license_key_id: string; hits: unknown; last_at: string }[] = await db
    .knex('license_honeypot_hits')
    .whereIn('license_key_id', keyIds)
    .groupBy('license_key_id')
    .select('license_key_id')
    .sum({ hits: 'count' })
    .max({ last_at: 'last_at' });
  const uses = new Map(found.map((row) => [row.license_key_id, row]));
  return rows.map((row) => {
    const own = uses.get(row.keyId);
    return { ...row, hits: Number(own?.hits ?? 0), lastHitAt: own?.last_at ?? null };
  });
}

/** Honeypots of the products that the actor sees, the newest first: a row for each key. */
export const honeypotRows = selection<StoredHoneypot, Row>({
  from: baited,
  id: 'k.id',
  scope: { tenant: 'l.tenant_id', license_product: 'l.product_id' },
  columns,
  read: toHoneypot,
  complete: withUses,
  filters: {
    kind: filter.choice(HONEYPOT_KINDS, {
      label: 'Kind',
      column: (query, kinds) =>
        void query.whereIn(
          'l.honeypot',
          kinds.map((kind) => kind === 'CANARY'),
        ),
    }),
    productId: products.productFilter('l.product_id'),
    used: filter.flag({
      label: 'Used',
      column: (query, isUsed, { db }) => {
        const used = db.knex('license_honeypot_hits').select('license_key_id');
        if (isUsed) query.whereIn('k.id', used);
        else query.whereNotIn('k.id', used);
      },
    }),
    created: filter.times({ label: 'Created', column: 'k.created_at' }),
  },
  search: { placeholder: 'Label', by: ['l.honeypot_label'] },
  sorts: { created: 'k.created_at' },
  initial: '-created',
});

/** The newest of a license's honeypot keys; null when it has none, and for who may not see it. */
export async function find(ctx: Ctx, id: string): Promise<StoredHoneypot | null> {
  const key = await baited(ctx).where('l.id', id).orderBy('k.id', 'desc').first('k.id');
  return key ? honeypotRows.find(ctx, key.id) : null;
}

function toHoneypot(row: Row): StoredHoneypot {
  return {
    id: row.id,
    keyId: row.key_id,
    isCanary: row.honeypot === true || row.honeypot === 1,
    label: row.honeypot_label,
    productId: row.product_id,
    productName: row.product_name,
    productSlug: row.product_slug,
    sealedKey: row.key_enc,
    keyPrefix: row.prefix,
    blockIpSeconds: row.block_ip_seconds,
    hits: 0,
    lastHitAt: null,
    createdAt: row.created_at,
  };
}

interface HitRow {
  prefix: string;
}

/** Who used honeypots of the products that the actor sees, the latest first: a row for each key, address and hour. */
export const hitRows = selection<Hit, HitRow>({
  from: ({ db }) =>
    db
      .knex(`${hitRecord.table} as h`)
      .join('license_keys as k', 'k.id', 'h.license_key_id')
      .join('licenses as l', 'l.id', 'k.license_id'),
  id: 'h.id',
  scope: { tenant: 'l.tenant_id', license_product: 'l.product_id' },
  columns: ['h.*', 'k.prefix'],
  read: (row) => ({ ...hitRecord.read(row), keyPrefix: row.prefix }),
  filters: {
    honeypot: filter.lookup({ label: 'Canary key', column: 'k.license_id', resource: 'honeypots' }),
    ip: filter.text({ label: 'Address', column: 'h.ip' }),
    endpoint: filter.text({ label: 'Endpoint', column: 'h.endpoint', match: 'contains' }),
    machineId: filter.text({ label: 'Machine', column: 'h.machine_id' }),
    '': filter.times({ label: 'Last use', column: 'h.last_at' }),
  },
  search: {
    placeholder: 'Address, endpoint, machine or program',
    by: ['h.ip', 'h.endpoint', 'h.machine_id', 'h.user_agent'],
  },
  sorts: { last: 'h.last_at', first: 'h.first_at', count: 'h.count', ip: 'h.ip' },
  initial: '-last',
});

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
