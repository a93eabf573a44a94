import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import { liveCount } from '#licensing/licenses/standing/index.ts';
import type { SeatUse } from '../view.ts';

const holderColumns = [
  'l.id',
  'k.prefix',
  'c.id as customer_id',
  'c.email',
  'p.id as product_id',
  'p.slug',
  'l.max_activations',
];

function licenses(ctx: Ctx, productId: string | undefined): Knex.QueryBuilder {
  const { knex } = ctx.db;
  const query = knex('licenses as l')
    .join('license_keys as k', (on) => on.on('k.license_id', 'l.id').andOn('k.kind', knex.raw("'CURRENT'")))
    .join('license_products as p', 'p.id', 'l.product_id')
    .join('license_customers as c', 'c.id', 'l.customer_id')
    .where('l.tenant_id', ctx.tenantId)
    .whereNull('l.deleted_at');
  visibleTo(ctx, query, { license_product: 'l.product_id' });
  return productId === undefined ? query : query.where('l.product_id', productId);
}

/** One page of the floating licenses that can be used at all, the fullest first. */
export async function listSeatUse(
  ctx: Ctx,
  productId: string | undefined,
  { offset, limit }: Slice,
): Promise<{ items: SeatUse[]; total: number }> {
  const now = ctx.now();
  const query = licenses(ctx, productId).where('l.type', 'FLOATING').whereNot('l.status', 'REVOKED');
  const [counted] = await query.clone().count({ n: '*' });
  const used = query
    .select(...holderColumns, 'l.status', 'l.valid_until', liveCount(ctx.db.knex, now))
    .as('seats');
  const rows = await ctx.db
    .knex(used)
    .orderByRaw('max_activations - used, used DESC, id')
    .offset(offset)
    .limit(limit);
  const items = rows.map((row): SeatUse => {
    const [seatsUsed, seatsTotal] = [Number(row.used), Number(row.max_activations)];
    return {
      ...holderOf(row),
      status: statusAt({ status: row.status, validUntil: row.valid_until }, now),
      seatsUsed,
      seatsTotal,
      seatsAvailable: Math.max(0, seatsTotal - seatsUsed),
    };
  });
  return { items, total: Number(counted?.n ?? 0) };
}

const holderOf = (row: Record<string, unknown>) => ({
  licenseId: row.id as string,
  keyPrefix: row.prefix as string,
  customerId: row.customer_id as string,
  customerEmail: row.email as string,
  productId: row.product_id as string,
  productSlug: row.slug as string,
});
