import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Filters } from '#kernel/db/selection/spec.ts';
import { statement } from '#kernel/db/statement.ts';
import * as products from '../products/index.ts';
import * as online from './online/repository.ts';
import * as release from './release/repository.ts';

const from =
  (role: 'ROOT' | 'ONLINE') =>
  ({ db }: Ctx) =>
    db
      .knex('license_signing_keys as k')
      .join('license_products as p', 'p.id', 'k.product_id')
      .where('k.role', role);

const common = {
  id: 'k.id',
  scope: { tenant: 'k.tenant_id', license_product: 'k.product_id' },
  sorts: { created: 'k.created_at', product: 'p.slug', status: 'k.status' },
  initial: '-created',
} as const;

const filters: Filters = {
  productId: products.productFilter('k.product_id'),
  product: filter.text({ label: 'Slug of the product', column: 'p.slug' }),
  keyId: filter.text({ label: 'Key id', column: 'k.key_id' }),
  status: filter.choice(['ACTIVE', 'NEXT', 'RETIRED'], { label: 'Status', column: 'k.status' }),
  created: filter.times({ label: 'Created', column: 'k.created_at' }),
};

/** Release keys of all products. */
export const signingKeyRows = selection<release.SigningKeyRow, release.Stored>({
  ...common,
  from: from('ROOT'),
  columns: release.COLUMNS,
  read: release.toRow,
  filters: {
    ...filters,
    serverHeld: filter.flag({
      label: 'Held by the server',
      column: (query, wanted) =>
        void (wanted ? query.whereNotNull('k.private_key') : query.whereNull('k.private_key')),
    }),
  },
  search: { placeholder: 'Key id, label or product', by: ['k.key_id', 'k.label', 'p.slug'] },
});

type KeyOfProduct = Pick<release.SigningKeyRow, 'productId' | 'keyId'>;

/** How many releases each key of a page has signed: one question for all of them. */
export async function signaturesOf(
  { db }: Ctx,
  keys: readonly KeyOfProduct[],
): Promise<(key: KeyOfProduct) => number> {
  const rows: { product_id: string; key_id: string; n: unknown }[] = await db
    .knex('license_releases')
    .whereIn('product_id', [...new Set(keys.map(({ productId }) => productId))])
    .whereIn('key_id', [...new Set(keys.map(({ keyId }) => keyId))])
    .groupBy('product_id', 'key_id')
    .select('product_id', 'key_id')
    .count({ n: '*' });
  // Several products may have one key.
  const counts = new Map(rows.map(({ product_id, key_id, n }) => [`${product_id} ${key_id}`, Number(n)]));
  return ({ productId, keyId }) => counts.get(`${productId} ${keyId}`) ?? 0;
}

/** An online key with the root keys that may delegate to it. */
export type OnlineKeyListed = online.OnlineKeyRow & { readonly roots: readonly online.RootKey[] };

/** Online keys of all products. */
export const onlineKeyRows = selection<OnlineKeyListed, online.Stored>({
  ...common,
  from: from('ONLINE'),
  columns: online.COLUMNS,
  read: (stored) => ({ ...online.toRow(stored), roots: [] }),
  async complete(ctx, rows) {
    const roots = new Map<string, readonly online.RootKey[]>();
    for (const { productId } of rows)
      if (!roots.has(productId)) roots.set(productId, (await online.listInForce(ctx, productId)).roots);
    return rows.map((row) => ({ ...row, roots: roots.get(row.productId) ?? [] }));
  },
  filters,
  search: { placeholder: 'Key id or product', by: ['k.key_id', 'p.slug'] },
});

const productLock = statement<{ productId: string }>((knex, p) =>
  knex('license_products')
    .select('id')
    .where({ id: p('productId') })
    .forUpdate(),
);

/** Keeps other writers of this product's keys out until the transaction ends (Postgres; SQLite has one writer). */
export const lockProduct = (ctx: Ctx, productId: string): Promise<void> =>
  productLock.lock(ctx.db, { productId });
