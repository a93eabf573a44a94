import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { visibleByList } from '#kernel/db/visible.ts';
import { momentsOf } from '../../statistics/index.ts';
import type { VersionAdoptionView, WebhookReliabilityView } from '../report-views.ts';
import { licenses, percent, type ReportFilter } from '../terms/queries.ts';

/** Machines that are activated and were seen in the range, by the version that they run. */
export async function versionAdoption(
  ctx: Ctx,
  filter: ReportFilter,
): Promise<z.output<typeof VersionAdoptionView>[]> {
  const { since, before } = momentsOf(filter.range);
  const rows: { product_id: string; slug: string; app_version: string | null; machines: unknown }[] =
    await licenses(ctx, filter)
      .join('license_activations as a', 'a.license_id', 'l.id')
      .join('license_products as p', 'p.id', 'l.product_id')
      .whereNull('a.ended_at')
      .where('a.last_seen_at', '>=', since)
      .where('a.last_seen_at', '<', before)
      .groupBy('l.product_id', 'p.slug', 'a.app_version')
      .select('l.product_id', 'p.slug', 'a.app_version')
      .count({ machines: '*' })
      .orderByRaw('slug, machines DESC, app_version');
  const all = new Map<string, number>();
  for (const row of rows) all.set(row.slug, (all.get(row.slug) ?? 0) + Number(row.machines));
  return rows.map(({ product_id: productId, slug: productSlug, app_version: version, machines }) => ({
    productId,
    productSlug,
    version,
    machines: Number(machines),
    sharePercent: percent(Number(machines), all.get(productSlug) ?? 0),
  }));
}

/** How what was sent to each webhook of the license service arrived. */
export async function webhookReliability(
  ctx: Ctx,
  { range, productId }: ReportFilter,
): Promise<z.output<typeof WebhookReliabilityView>[]> {
  const { since, before } = momentsOf(range);
  const query: Knex.QueryBuilder = ctx.db
    .knex('webhooks as w')
    .where({ 'w.service': 'license', 'w.tenant_id': ctx.tenantId })
    .leftJoin('webhook_deliveries as d', (on) =>
      on
        .on('d.webhook_id', 'w.id')
        .andOnVal('d.created_at', '>=', since)
        .andOnVal('d.created_at', '<', before)
        .andOnVal('d.is_test', false),
    )
    .groupBy('w.id', 'w.name', 'w.url', 'd.state')
    .orderBy(['w.name', 'w.id'])
    .select('w.id', 'w.name', 'w.url', 'd.state')
    .count({ n: 'd.id' })
    .sum({ attempts: 'd.attempts' });
  visibleByList(ctx, query, 'w.product_ids');
  if (productId !== undefined) visibleByList(ofProduct(ctx, productId), query, 'w.product_ids');
  const rows: {
    id: string;
    name: string;
    url: string;
    state: string | null;
    n: unknown;
    attempts: unknown;
  }[] = await query;
  const webhooks = new Map(rows.map(({ id, name, url }) => [id, { webhookId: id, name, url }]));
  return [...webhooks.values()].map((webhook) => {
    const own = rows.filter(({ id, state }) => id === webhook.webhookId && state !== 'SKIPPED');
    const of = (state: string): number => Number(own.find((row) => row.state === state)?.n ?? 0);
    const [delivered, failed, pending] = [of('DELIVERED'), of('FAILED'), of('PENDING')];
    return {
      ...webhook,
      sent: delivered + failed + pending,
      delivered,
      failed,
      pending,
      attempts: own.reduce((sum, { attempts }) => sum + Number(attempts ?? 0), 0),
      deliveredPercent: percent(delivered, delivered + failed),
    };
  });
}

/** Narrows to webhooks that are bound to a product, as for somebody who sees that one alone. */
const ofProduct = (ctx: Ctx, productId: string) => ({
  db: ctx.db,
  actor: { scopes: { license_product: [productId] } },
});
