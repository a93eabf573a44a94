import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { type DayRange, deniedValue } from '../../statistics/index.ts';
import type { DenialGroup, Denials } from '../view.ts';

/** What is counted, and how it is added up. */
export interface DenialFilter {
  readonly range: DayRange;
  /** Decision code. */
  readonly code: string;
  readonly productId: string | undefined;
  /** Fewer refusals are left out. */
  readonly minCount: number;
  readonly groupBy: DenialGroup;
}

const groupColumns = { license: 'l.id', customer: 'l.customer_id', product: 'l.product_id' } as const;

/** What was counted of one license, customer or product. */
interface Counted {
  id: string;
  denied: number | string;
  days: number | string;
  machines: number | string;
  first_at: string;
  last_at: string;
}

/** Refusals of licenses that the actor sees. A canary key is nobody's. */
function refusals(ctx: Ctx, { range, code, productId }: DenialFilter): Knex.QueryBuilder {
  const query = ctx.db
    .knex('license_denials as d')
    .join('licenses as l', 'l.id', 'd.license_id')
    .where('l.tenant_id', ctx.tenantId)
    .whereNull('l.deleted_at')
    .whereNotNull('l.customer_id')
    .where('d.code', code)
    .whereBetween('d.day', [range.from, range.to]);
  visibleTo(ctx, query, { license_product: 'l.product_id' });
  return productId === undefined ? query : query.where('l.product_id', productId);
}

/** Everybody who was refused, most refusals first. */
export async function countDenials(ctx: Ctx, filter: DenialFilter): Promise<Counted[]> {
  return await refusals(ctx, filter)
    .select({ id: groupColumns[filter.groupBy] })
    .sum({ denied: 'd.count' })
    .countDistinct({ days: 'd.day' })
    .max({ machines: 'd.machines', last_at: 'd.last_at' })
    .min({ first_at: 'd.first_at' })
    .groupBy(groupColumns[filter.groupBy])
    .havingRaw('sum(d.count) >= ?', [filter.minCount])
    .orderByRaw('denied DESC, 1');
}

/** One page of them, with their names. */
export async function listDenials(
  ctx: Ctx,
  filter: DenialFilter,
  { offset, limit }: Slice,
): Promise<{ items: Denials[]; total: number }> {
  const counted = await countDenials(ctx, filter);
  return {
    items: await describeDenials(ctx, filter, counted.slice(offset, offset + limit)),
    total: counted.length,
  };
}

/** Adds whose they are, how many licenses and seats, and how many machines were refused. */
export async function describeDenials(
  ctx: Ctx,
  filter: DenialFilter,
  counted: readonly Counted[],
): Promise<Denials[]> {
  const ids = counted.map(({ id }) => id);
  const [held, machines, named] = await Promise.all([
    countLicenses(ctx, filter, ids),
    countMachines(ctx, filter, ids),
    namesOf(ctx, filter.groupBy, ids),
  ]);
  return counted.map((one) => ({
    ...NOBODY,
    ...named.get(one.id),
    licenses: held.get(one.id)?.licenses ?? 0,
    seatsTotal: held.get(one.id)?.seats ?? 0,
    denied: Number(one.denied),
    days: Number(one.days),
    distinctMachines: Math.max(Number(one.machines), machines.get(one.id) ?? 0),
    firstDeniedAt: one.first_at,
    lastDeniedAt: one.last_at,
  }));
}

type Names = Pick<
  Denials,
  'licenseId' | 'keyPrefix' | 'customerId' | 'customerEmail' | 'productId' | 'productSlug'
>;
const NOBODY: Names = {
  licenseId: null,
  keyPrefix: null,
  customerId: null,
  customerEmail: null,
  productId: null,
  productSlug: null,
};

async function countLicenses(
  ctx: Ctx,
  filter: DenialFilter,
  ids: readonly string[],
): Promise<Map<string, { licenses: number; seats: number }>> {
  const each = refusals(ctx, filter)
    .whereIn(groupColumns[filter.groupBy], [...ids])
    .distinct({ group_id: groupColumns[filter.groupBy], license_id: 'l.id', seats: 'l.max_activations' })
    .as('refused');
  const rows: Record<string, unknown>[] = await ctx.db
    .knex(each)
    .groupBy('group_id')
    .select('group_id')
    .count({ licenses: '*' })
    .sum({ seats: 'seats' });
  return new Map(
    rows.map((row) => [
      String(row.group_id),
      { licenses: Number(row.licenses ?? 0), seats: Number(row.seats ?? 0) },
    ]),
  );
}

/** Distinct machines over all days: those of a day cannot be added up. */
async function countMachines(
  ctx: Ctx,
  { range, code, groupBy, productId }: DenialFilter,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const { knex } = ctx.db;
  const prefix = deniedValue(code, '');
  const query = knex('licenses as l')
    .join('license_observations as o', 'o.license_id', 'l.id')
    .where('l.tenant_id', ctx.tenantId)
    .whereNull('l.deleted_at')
    .whereIn(groupColumns[groupBy], [...ids])
    .where('o.kind', 'MACHINE_DENIED')
    .whereBetween('o.day', [range.from, range.to])
    .whereRaw('substr(o.value, 1, CAST(? AS integer)) = ?', [prefix.length, prefix])
    .groupBy(groupColumns[groupBy]);
  visibleTo(ctx, query, { license_product: 'l.product_id' });
  if (productId !== undefined) query.where('l.product_id', productId);
  const rows: { id: string; machines: number | string }[] = await query
    .select({ id: groupColumns[groupBy] })
    .countDistinct({ machines: 'o.value' });
  return new Map(rows.map((row) => [row.id, Number(row.machines)]));
}

const named = {
  license: (knex: Knex) =>
    knex('licenses as l')
      .join('license_keys as k', (on) => on.on('k.license_id', 'l.id').andOn('k.kind', knex.raw("'CURRENT'")))
      .join('license_products as p', 'p.id', 'l.product_id')
      .join('license_customers as c', 'c.id', 'l.customer_id')
      .select({
        id: 'l.id',
        licenseId: 'l.id',
        keyPrefix: 'k.prefix',
        customerId: 'c.id',
        customerEmail: 'c.email',
        productId: 'p.id',
        productSlug: 'p.slug',
      }),
  customer: (knex: Knex) =>
    knex('license_customers as l').select({ id: 'l.id', customerId: 'l.id', customerEmail: 'l.email' }),
  product: (knex: Knex) =>
    knex('license_products as l').select({ id: 'l.id', productId: 'l.id', productSlug: 'l.slug' }),
} as const;

/** @param ids of what the actor sees */
async function namesOf(
  ctx: Ctx,
  groupBy: DenialGroup,
  ids: readonly string[],
): Promise<Map<string, Partial<Names>>> {
  const rows: (Partial<Names> & { id: string })[] = await named[groupBy](ctx.db.knex).whereIn('l.id', [
    ...ids,
  ]);
  return new Map(rows.map(({ id, ...names }) => [id, names]));
}
