import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { usageOf } from '../../decision/index.ts';
import type { UsageRowView } from '../view.ts';

const LEVELS = ['WARNING', 'EXHAUSTED'] as const;

/** Licenses that have a limit of uses, of their own or by policy (D80), or have counted any. */
export const usageRows = selection<UsageRowView, Record<string, unknown>>({
  from: ({ db }) =>
    db
      .knex('licenses as l')
      .join('license_products as p', 'p.id', 'l.product_id')
      .joinRaw('left join license_policies as o on o.id = coalesce(l.policy_id, p.policy_id)')
      .whereNotNull('l.customer_id')
      .whereNull('l.deleted_at')
      .whereRaw('(l.current_uses > 0 OR coalesce(l.max_uses, o.max_uses) IS NOT NULL)'),
  id: 'l.id',
  scope: { tenant: 'l.tenant_id', license_product: 'l.product_id' },
  columns: ({ db }) => [
    'l.id',
    'k.prefix',
    'l.product_id',
    'p.slug',
    'l.customer_id',
    'c.email',
    'l.current_uses',
    db.knex.raw('coalesce(l.max_uses, o.max_uses) AS most'),
  ],
  joins: {
    shown: (query) =>
      query
        .joinRaw("join license_keys as k on k.license_id = l.id and k.kind = 'CURRENT'")
        .join('license_customers as c', 'c.id', 'l.customer_id'),
  },
  shows: ['shown'],
  read: (row) => {
    const current = Number(row.current_uses);
    const usage = usageOf(current, row.most === null ? null : Number(row.most));
    return {
      licenseId: row.id as string,
      keyPrefix: row.prefix as string,
      productId: row.product_id as string,
      productSlug: row.slug as string,
      customerId: row.customer_id as string,
      customerEmail: row.email as string,
      current,
      max: usage.max,
      remaining: usage.max === null ? null : usage.remaining,
      percentUsed: usage.max === null ? null : usage.percentUsed,
      byFeature: {},
    };
  },
  complete: withFeatures,
  filters: {
    productId: products.productFilter('l.product_id'),
    licenseId: filter.lookup({ label: 'License', column: 'l.id', resource: 'licenses' }),
    feature: filter.text({
      label: 'Feature',
      column: (query, feature, { db }) =>
        void query.whereExists(
          db
            .knex('license_usage as u')
            .whereRaw('u.license_id = l.id AND u.epoch = l.usage_epoch')
            .where('u.feature', feature),
        ),
    }),
    level: filter.choice(LEVELS, {
      label: 'Used up to',
      column: (query, levels) => {
        const share = levels.includes('WARNING') ? 80 : 100;
        query.whereRaw('l.current_uses * 100 >= coalesce(l.max_uses, o.max_uses) * ?', [share]);
        if (!levels.includes('EXHAUSTED'))
          query.whereRaw('l.current_uses < coalesce(l.max_uses, o.max_uses)');
      },
    }),
  },
  sorts: { used: 'l.current_uses', id: 'l.id', product: 'p.slug' },
  initial: '-used',
});

/** The same licenses with the parts of their counters, of all in one look-up. */
async function withFeatures(ctx: Ctx, rows: UsageRowView[]): Promise<UsageRowView[]> {
  const parts: { license_id: string; feature: string; quantity: unknown }[] = await ctx.db
    .knex('license_usage as u')
    .join('licenses as l', (on) => on.on('l.id', 'u.license_id').andOn('l.usage_epoch', 'u.epoch'))
    .whereIn(
      'u.license_id',
      rows.map(({ licenseId }) => licenseId),
    )
    .groupBy('u.license_id', 'u.feature')
    .orderBy('u.feature')
    .select('u.license_id', 'u.feature')
    .sum({ quantity: 'u.quantity' });
  return rows.map((row) => {
    const own = parts.filter(({ license_id }) => license_id === row.licenseId);
    const byFeature = Object.fromEntries(own.map(({ feature, quantity }) => [feature, Number(quantity)]));
    return { ...row, byFeature };
  });
}
