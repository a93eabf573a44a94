import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';

/** An online key as stored: role ONLINE of licensing 6.1. `publicKey` is base64, `privateKey` sealed. */
export interface OnlineKeyRow {
  readonly id: string;
  readonly tenantId: string;
  readonly productId: string;
  readonly productSlug: string;
  readonly keyId: string;
  readonly publicKey: string;
  readonly privateKey: string;
  readonly status: KeyStatus;
  /** `delegation/<DP>.<DS>`. */
  readonly delegation: string | null;
  readonly createdAt: string;
}

/** A root key that has not been retired: it alone may delegate. `privateKey` is null where it is held elsewhere. */
export interface RootKey {
  readonly id: string;
  readonly keyId: string;
  readonly publicKey: string;
  readonly privateKey: string | null;
  readonly status: KeyStatus;
}

/** Its columns. */
export interface Stored {
  id: string;
  tenant_id: string;
  product_id: string;
  slug: string;
  role: 'ROOT' | 'ONLINE';
  key_id: string;
  public_key: string;
  private_key: string | null;
  status: KeyStatus;
  delegation: string | null;
  created_at: string;
}

/** What `toRow` reads: `k` is the key, `p` its product. */
export const COLUMNS = [
  'k.id',
  'k.tenant_id',
  'k.product_id',
  'p.slug',
  'k.role',
  'k.key_id',
  'k.public_key',
  'k.private_key',
  'k.status',
  'k.delegation',
  'k.created_at',
];

const keysInForce = statement<{ productId: string }, Stored>((knex, p) =>
  knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where('k.product_id', p('productId'))
    .whereNot('k.status', 'RETIRED')
    .orderBy(['k.created_at', 'k.id']),
);

/** The keys of a product that are not retired, oldest first. */
export async function listInForce(
  ctx: Ctx,
  productId: string,
): Promise<{ online: OnlineKeyRow[]; roots: RootKey[] }> {
  const rows = await keysInForce.all(ctx.db, { productId });
  return {
    online: rows.filter(({ role }) => role === 'ONLINE').map(toRow),
    roots: rows.filter(({ role }) => role === 'ROOT').map(toRoot),
  };
}

const byKeyId = statement<{ tenantId: string; keyId: string }, Stored>((knex, p) =>
  knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where({ 'k.tenant_id': p('tenantId'), 'k.key_id': p('keyId'), 'k.role': 'ONLINE' }),
);

/** The online key of a key id in the tenant, or null. */
export async function findByKeyId(ctx: Ctx, keyId: string): Promise<OnlineKeyRow | null> {
  const row = await byKeyId.first(ctx.db, { tenantId: ctx.tenantId, keyId });
  return row && reaches(ctx.actor, 'license_product', row.product_id) ? toRow(row) : null;
}

/** The keys in use with a delegation, of every tenant: the work of the job that renews them. */
export async function listDelegated(ctx: Ctx): Promise<OnlineKeyRow[]> {
  const rows: Stored[] = await ctx.db
    .knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where({ 'k.role': 'ONLINE', 'k.status': 'ACTIVE' })
    .whereNotNull('k.delegation')
    .orderBy('k.id');
  return rows.map(toRow);
}

/** Stores an online key without a delegation. */
export async function insert(ctx: Ctx, row: Omit<OnlineKeyRow, 'productSlug' | 'delegation'>): Promise<void> {
  await ctx.db.knex('license_signing_keys').insert({
    id: row.id,
    tenant_id: row.tenantId,
    product_id: row.productId,
    role: 'ONLINE',
    key_id: row.keyId,
    public_key: row.publicKey,
    private_key: row.privateKey,
    status: row.status,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  });
}

/**
 * Puts a key with its delegation into use; the one that was in use before is retired.
 *
 * @returns false when the key has been retired meanwhile
 */
export async function putIntoUse(
  ctx: Ctx,
  key: OnlineKeyRow,
  delegation: { text: string; expiresAt: string },
): Promise<boolean> {
  const now = ctx.now();
  const keys = () => ctx.db.knex('license_signing_keys').where({ product_id: key.productId, role: 'ONLINE' });
  await keys()
    .where({ status: 'ACTIVE' })
    .whereNot({ id: key.id })
    .whereExists(keys().where({ id: key.id }).whereNot({ status: 'RETIRED' }))
    .update({ status: 'RETIRED', retired_at: now, updated_at: now });
  const changed = await keys().where({ id: key.id }).whereNot({ status: 'RETIRED' }).update({
    status: 'ACTIVE',
    delegation: delegation.text,
    delegation_expires_at: delegation.expiresAt,
    updated_at: now,
  });
  return changed === 1;
}

/** An online key is made here, so its private part is here. */
export const toRow = (row: Stored): OnlineKeyRow => ({
  id: row.id,
  tenantId: row.tenant_id,
  productId: row.product_id,
  productSlug: row.slug,
  keyId: row.key_id,
  publicKey: row.public_key,
  privateKey: row.private_key ?? '',
  status: row.status,
  delegation: row.delegation,
  createdAt: row.created_at,
});

const toRoot = (row: Stored): RootKey => ({
  id: row.id,
  keyId: row.key_id,
  publicKey: row.public_key,
  privateKey: row.private_key,
  status: row.status,
});
