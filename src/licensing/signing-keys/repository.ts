import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyStatus } from './key-shape.ts';
import { selectKeyPage } from './queries.ts';

/** A release signing key as stored: role ROOT of licensing 6.1. `publicKey` is base64, `privateKey` sealed. */
export interface SigningKeyRow {
  readonly id: string;
  readonly productId: string;
  readonly productSlug: string;
  readonly keyId: string;
  readonly publicKey: string;
  readonly privateKey: string | null;
  readonly status: KeyStatus;
  readonly label: string | null;
  readonly createdAt: string;
}

interface Stored {
  id: string;
  product_id: string;
  slug: string;
  key_id: string;
  public_key: string;
  private_key: string | null;
  status: KeyStatus;
  label: string | null;
  created_at: string;
}

const COLUMNS = [
  'k.id',
  'k.product_id',
  'p.slug',
  'k.key_id',
  'k.public_key',
  'k.private_key',
  'k.status',
  'k.label',
  'k.created_at',
];

const keysByKeyId = statement<{ tenantId: string; keyId: string }, Stored>((knex, p) =>
  knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where({ 'k.tenant_id': p('tenantId'), 'k.key_id': p('keyId'), 'k.role': 'ROOT' })
    .orderBy(['k.created_at', 'k.id']),
);

const keysOfProduct = statement<{ productId: string }, Stored>((knex, p) =>
  knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where({ 'k.product_id': p('productId'), 'k.role': 'ROOT' })
    .orderBy(['k.created_at', 'k.id']),
);

/** The key of a key id in the tenant, or null. One key may serve several products: the oldest row answers. */
export async function findByKeyId(ctx: Ctx, keyId: string): Promise<SigningKeyRow | null> {
  const row = await keysByKeyId.first(ctx.db, { tenantId: ctx.tenantId, keyId });
  return row ? toRow(row) : null;
}

/** Every root key of a product, oldest first. */
export async function listOfProduct(ctx: Ctx, productId: string): Promise<SigningKeyRow[]> {
  return (await keysOfProduct.all(ctx.db, { productId })).map(toRow);
}

/**
 * One page of the tenant's root keys, newest first.
 *
 * @param filter product by slug, or null for all; page from 1
 */
export async function listPage(
  ctx: Ctx,
  filter: { product: string | null; page: number; limit: number },
): Promise<{ items: SigningKeyRow[]; total: number }> {
  const { rows, total } = await selectKeyPage<Stored>(ctx, 'ROOT', COLUMNS, {
    ...filter,
    offset: (filter.page - 1) * filter.limit,
  });
  return { items: rows.map(toRow), total };
}

const insertKey = statement<{
  id: string;
  tenant_id: string;
  product_id: string;
  role: string;
  key_id: string;
  public_key: string;
  private_key: string | null;
  status: KeyStatus;
  label: string | null;
  created_at: string;
  updated_at: string;
}>((knex, p) =>
  knex('license_signing_keys').insert(
    p.row(
      'id',
      'tenant_id',
      'product_id',
      'role',
      'key_id',
      'public_key',
      'private_key',
      'status',
      'label',
      'created_at',
      'updated_at',
    ),
  ),
);

/** Stores a root key. Throws a unique violation for a key id that the product has, or a second ACTIVE key. */
export async function insert(ctx: Ctx, row: Omit<SigningKeyRow, 'productSlug'>): Promise<void> {
  await insertKey.run(ctx.db, {
    id: row.id,
    tenant_id: ctx.tenantId,
    product_id: row.productId,
    role: 'ROOT',
    key_id: row.keyId,
    public_key: row.publicKey,
    private_key: row.privateKey,
    status: row.status,
    label: row.label,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  });
}

/** Keeps other writers of this product's keys out until the transaction ends (Postgres; SQLite has one writer). */
export async function lockProduct(ctx: Ctx, productId: string): Promise<void> {
  await productLock.first(ctx.db, { productId });
}

const productLock = statement<{ productId: string }>((knex, p) =>
  knex('license_products')
    .select('id')
    .where({ id: p('productId') })
    .forUpdate(),
);

const toRow = (row: Stored): SigningKeyRow => ({
  id: row.id,
  productId: row.product_id,
  productSlug: row.slug,
  keyId: row.key_id,
  publicKey: row.public_key,
  privateKey: row.private_key,
  status: row.status,
  label: row.label,
  createdAt: row.created_at,
});
