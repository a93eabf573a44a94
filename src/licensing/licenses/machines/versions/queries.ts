import type { Ctx } from '#kernel/context.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { versionDayRecord } from './record.ts';

/** Machines of a day by version, of all products together. */
export interface VersionDay {
  readonly day: string;
  /** Empty for machines that say none; `*` for those of rarer versions. */
  readonly version: string;
  readonly machines: number;
}

/** What was counted of the products that the actor sees. @param productIds null for all; `since` such as `2026-03-01` */
export async function listVersionDays(
  ctx: Ctx,
  { productIds, since }: { productIds: readonly string[] | null; since: string },
): Promise<VersionDay[]> {
  const query = ctx.db
    .knex(`${versionDayRecord.table} as v`)
    .join('license_products as p', 'p.id', 'v.product_id')
    .where('p.tenant_id', ctx.tenantId)
    .where('v.day', '>=', since)
    .groupBy('v.day', 'v.version');
  if (productIds) query.whereIn('p.id', [...productIds]);
  visibleTo(ctx, query, { license_product: 'p.id' });
  const rows: Record<string, unknown>[] = await query
    .select('v.day', 'v.version')
    .sum({ machines: 'v.machines' })
    .orderBy(['v.day', 'v.version']);
  return rows.map(({ day, version, machines }) => ({
    day: String(day),
    version: String(version),
    machines: Number(machines),
  }));
}
