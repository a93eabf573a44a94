import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';

/**
 * One page of the tenant's keys of one role, newest first, and how many there are.
 *
 * @param columns as the caller's row names them: `k` is the key, `p` its product
 * @param filter product by slug, or null for all
 */
export async function selectKeyPage<R>(
  ctx: Ctx,
  role: 'ROOT' | 'ONLINE',
  columns: readonly string[],
  filter: { product: string | null; offset: number; limit: number },
): Promise<{ rows: R[]; total: number }> {
  const query = ctx.db
    .knex('license_signing_keys as k')
    .join('license_products as p', 'p.id', 'k.product_id')
    .where({ 'k.tenant_id': ctx.tenantId, 'k.role': role });
  visibleTo(ctx, query, { license_product: 'k.product_id' });
  if (filter.product !== null) query.where('p.slug', filter.product);
  const counted = await query.clone().count({ total: '*' }).first();
  const rows: R[] = await query
    .select([...columns])
    .orderBy([
      { column: 'k.created_at', order: 'desc' },
      { column: 'k.id', order: 'desc' },
    ])
    .limit(filter.limit)
    .offset(filter.offset);
  return { rows, total: Number(counted?.total ?? 0) };
}

const productLock = statement<{ productId: string }>((knex, p) =>
  knex('license_products')
    .select('id')
    .where({ id: p('productId') })
    .forUpdate(),
);

/** Keeps other writers of this product's keys out until the transaction ends (Postgres; SQLite has one writer). */
export const lockProduct = (ctx: Ctx, productId: string): Promise<void> =>
  productLock.lock(ctx.db, { productId });
