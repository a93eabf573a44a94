import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';

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
  /** When a NEXT key takes over; null for one that waits to be activated by hand. */
  readonly activateAt: string | null;
  /** What the key before signed about this one: `continuity/<P>.<S>`. */
  readonly continuity: string | null;
  /** Id that minisign gave to an imported key, 16 upper-case hex characters. */
  readonly minisignId: string | null;
  readonly createdAt: string;
}

/** A key whose time to take over has come, of any tenant. */
export interface DueKey {
  readonly id: string;
  readonly tenantId: string;
  readonly productId: string;
  readonly productSlug: string;
}

/** Its columns. */
export interface Stored {
  id: string;
  tenant_id: string;
  product_id: string;
  slug: string;
  key_id: string;
  public_key: string;
  private_key: string | null;
  status: KeyStatus;
  label: string | null;
  activate_at: string | null;
  continuity: string | null;
  minisign_id: string | null;
  created_at: string;
}

/** What `toRow` reads: `k` is the key, `p` its product. */
export const COLUMNS = [
  'k.id',
  'k.tenant_id',
  'k.product_id',
  'p.slug',
  'k.key_id',
  'k.public_key',
  'k.private_key',
  'k.status',
  'k.label',
  'k.activate_at',
  'k.continuity',
  'k.minisign_id',
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

/** The keys of a key id in the tenant, oldest first: one key may serve several products. */
export async function listByKeyId(ctx: Ctx, keyId: string): Promise<SigningKeyRow[]> {
  const rows = await keysByKeyId.all(ctx.db, { tenantId: ctx.tenantId, keyId });
  return rows.filter((row) => reaches(ctx.actor, 'license_product', row.product_id)).map(toRow);
}

/** Every root key of a product, oldest first. */
export async function listOfProduct(ctx: Ctx, productId: string): Promise<SigningKeyRow[]> {
  return (await keysOfProduct.all(ctx.db, { productId })).map(toRow);
}

const insertKey = statement<Omit<Stored, 'slug'> & { role: string; updated_at: string }>((knex, p) =>
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
      'activate_at',
      'continuity',
      'minisign_id',
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
    activate_at: row.activateAt,
    continuity: row.continuity,
    minisign_id: row.minisignId,
    created_at: row.createdAt,
    updated_at: row.createdAt,
  });
}

const custody = statement<{ id: string; privateKey: string | null; minisignId: string | null; now: string }>(
  (knex, p) =>
    knex('license_signing_keys')
      .where({ id: p('id') })
      .update({ private_key: p('privateKey'), minisign_id: p('minisignId'), updated_at: p('now') }),
);

/** Keeps the sealed private part of a stored key. */
export async function hold(ctx: Ctx, { id, privateKey, minisignId }: SigningKeyRow): Promise<void> {
  await custody.run(ctx.db, { id, privateKey, minisignId, now: ctx.now() });
}

const planOfKey = statement<{ id: string; activateAt: string; continuity: string; now: string }>((knex, p) =>
  knex('license_signing_keys')
    .where({ id: p('id'), status: 'NEXT' })
    .update({ activate_at: p('activateAt'), continuity: p('continuity'), updated_at: p('now') }),
);

/** Plans when a NEXT key takes over, and keeps what the key before says about it. */
export async function plan(
  ctx: Ctx,
  key: { id: string; activateAt: string; continuity: string },
): Promise<boolean> {
  return (await planOfKey.run(ctx.db, { ...key, now: ctx.now() })) === 1;
}

const activation = statement<{ id: string; now: string }>((knex, p) =>
  knex('license_signing_keys')
    .where({ id: p('id'), status: 'NEXT' })
    .update({ status: 'ACTIVE', activate_at: null, updated_at: p('now') }),
);

/** Makes a NEXT key ACTIVE; the product must have no ACTIVE one. @returns false when it is not NEXT */
export async function activate(ctx: Ctx, id: string): Promise<boolean> {
  return (await activation.run(ctx.db, { id, now: ctx.now() })) === 1;
}

const retirement = statement<{ id: string; now: string; continuity: string | null }>((knex, p) =>
  knex('license_signing_keys')
    .where({ id: p('id') })
    .whereNot({ status: 'RETIRED' })
    .update({
      status: 'RETIRED',
      activate_at: null,
      continuity: p('continuity'),
      retired_at: p('now'),
      updated_at: p('now'),
    }),
);

/**
 * Retires a key. What the key before said about one that was never in use is forgotten: it must not lead a client to
 * a key that was withdrawn.
 *
 * @returns false when it is retired already
 */
export async function retire(ctx: Ctx, { id, status, continuity }: SigningKeyRow): Promise<boolean> {
  const kept = status === 'NEXT' ? null : continuity;
  return (await retirement.run(ctx.db, { id, continuity: kept, now: ctx.now() })) === 1;
}

const dueKeys = statement<{ now: string }, Stored>((knex, p) =>
  knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .select(COLUMNS)
    .where({ 'k.role': 'ROOT', 'k.status': 'NEXT' })
    .where('k.activate_at', '<=', p('now'))
    .orderBy(['k.activate_at', 'k.id'])
    .limit(100),
);

/** NEXT keys of every tenant whose time has come: the work of the job that activates them. */
export async function listDue(ctx: Ctx): Promise<DueKey[]> {
  const rows = await dueKeys.all(ctx.db, { now: ctx.now() });
  return rows.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    productId: row.product_id,
    productSlug: row.slug,
  }));
}

export const toRow = (row: Stored): SigningKeyRow => ({
  id: row.id,
  productId: row.product_id,
  productSlug: row.slug,
  keyId: row.key_id,
  publicKey: row.public_key,
  privateKey: row.private_key,
  status: row.status,
  label: row.label,
  activateAt: row.activate_at,
  continuity: row.continuity,
  minisignId: row.minisign_id,
  createdAt: row.created_at,
});

/** Deletes the keys of a product, release keys and online keys. */
export async function removeOf(ctx: Ctx, productId: string): Promise<void> {
  await ctx.db.knex('license_signing_keys').where({ product_id: productId }).delete();
}
