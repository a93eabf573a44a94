import type { Ctx } from '#kernel/context.ts';
import { versionDayRecord } from './record.ts';

const TABLE = versionDayRecord.table;

/** How many machines run a version. */
export interface VersionCount {
  readonly version: string;
  readonly machines: number;
}

/** Products of all tenants, in the order in which rows are locked (C9). */
export async function listProducts(ctx: Ctx): Promise<string[]> {
  const rows: { id: string }[] = await ctx.db.knex('license_products').orderBy('id').select('id');
  return rows.map(({ id }) => id);
}

/** Machines of a product that are activated and hold no lease that has run out, the commonest version first. */
export async function countOf(ctx: Ctx, productId: string): Promise<VersionCount[]> {
  const { knex } = ctx.db;
  const rows: { version: string; machines: unknown }[] = await knex('license_activations as a')
    .join('licenses as l', 'l.id', 'a.license_id')
    .where('l.product_id', productId)
    .whereNull('l.deleted_at')
    .whereNull('a.ended_at')
    .where((live) => live.whereNull('a.lease_expires_at').orWhere('a.lease_expires_at', '>', ctx.now()))
    .groupByRaw("coalesce(a.app_version, '')")
    .select(knex.raw("coalesce(a.app_version, '') AS version"), knex.raw('count(*) AS machines'))
    .orderByRaw('machines DESC, version');
  return rows.map(({ version, machines }) => ({ version, machines: Number(machines) }));
}

/** Replaces what is known of a product and day; a product that was deleted meanwhile has no days. */
export async function noteDay(
  ctx: Ctx,
  { productId, day }: { productId: string; day: string },
  counted: readonly VersionCount[],
): Promise<void> {
  const { knex } = ctx.db;
  const product = await knex('license_products').where({ id: productId }).forKeyShare().first('id');
  if (!product) return;
  await knex(TABLE).where({ product_id: productId, day }).delete();
  if (counted.length === 0) return;
  await knex(TABLE).insert(
    counted.map(({ version, machines }) => versionDayRecord.write({ productId, day, version, machines })),
  );
}
