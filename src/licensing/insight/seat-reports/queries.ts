import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import { liveCount } from '#licensing/licenses/standing/index.ts';
import { deniedValue, EXHAUSTED } from '../statistics/index.ts';
import type { Holder, SeatDenials, SeatUse } from './view.ts';

interface Found<T> {
  items: T[];
  total: number;
}

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
): Promise<Found<SeatUse>> {
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

/** One page of the licenses that refused machines since a time for want of a seat, most refusals first. */
export async function listSeatDenials(
  ctx: Ctx,
  filter: { productId: string | undefined; since: string },
  { offset, limit }: Slice,
): Promise<Found<SeatDenials>> {
  const query = licenses(ctx, filter.productId)
    .join('license_denials as d', 'd.license_id', 'l.id')
    .where('d.code', EXHAUSTED)
    .where('d.day', '>=', filter.since.slice(0, 10));
  const [counted] = await query.clone().countDistinct({ n: 'l.id' });
  const rows = await query
    .select(...holderColumns)
    .sum({ denied: 'd.count' })
    .count({ days: '*' })
    .min({ first_at: 'd.first_at' })
    .max({ last_at: 'd.last_at', machines: 'd.machines' })
    .groupBy('l.id', 'k.prefix', 'c.id', 'c.email', 'p.id', 'p.slug', 'l.max_activations')
    .orderByRaw('denied DESC, l.id')
    .offset(offset)
    .limit(limit);
  const observed = await countMachines(
    ctx,
    rows.map((row) => row.id),
    filter.since,
  );
  const items = rows.map(
    (row): SeatDenials => ({
      ...holderOf(row),
      seatsTotal: Number(row.max_activations),
      denied: Number(row.denied),
      days: Number(row.days),
      distinctMachines: Math.max(Number(row.machines), observed.get(row.id) ?? 0),
      firstDeniedAt: row.first_at,
      lastDeniedAt: row.last_at,
    }),
  );
  return { items, total: Number(counted?.n ?? 0) };
}

/** Distinct machines over all days, by license: those of a day cannot be added up. */
async function countMachines(ctx: Ctx, licenseIds: string[], since: string): Promise<Map<string, number>> {
  const { knex } = ctx.db;
  const prefix = deniedValue(EXHAUSTED, '');
  const rows = await knex('license_observations')
    .whereIn('license_id', licenseIds)
    .where('kind', 'MACHINE_DENIED')
    .where('day', '>=', since.slice(0, 10))
    .whereRaw('substr(value, 1, CAST(? AS integer)) = ?', [prefix.length, prefix])
    .groupBy('license_id')
    .select<{ license_id: string; machines: number | string }[]>(
      'license_id',
      knex.raw('count(DISTINCT value) AS machines'),
    );
  return new Map(rows.map((row) => [row.license_id, Number(row.machines)]));
}

const holderOf = (row: Record<string, unknown>): Holder => ({
  licenseId: row.id as string,
  keyPrefix: row.prefix as string,
  customerId: row.customer_id as string,
  customerEmail: row.email as string,
  productId: row.product_id as string,
  productSlug: row.slug as string,
});
