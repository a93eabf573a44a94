/** The figures that staff open the day with, for their programs (storefront-api.md, R). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count, oneOf } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { alertsOf, dashboard, RANGE_NAMES, type Range, type Sold } from './dashboard.ts';

const soldFields = {
  revenue_cents: z.int().describe('Order totals, less refunds'),
  orders: count(),
  aov_cents: z.int().nullable().describe('Average order total, before refunds'),
  conversion: z
    .number()
    .nullable()
    .describe('Share of carts that became an order, 0 to 1; null without carts'),
};

/** The figures of the shop's first page. */
const DashboardView = later(() =>
  z
    .object({
      from: z.string(),
      to: z.string(),
      time_zone: z.string(),
      currency: z.string(),
      ...soldFields,
      previous: z.object({ from: z.string(), to: z.string(), ...soldFields }),
      low_stock: count().describe('Variants at or below their threshold'),
      to_review: count().describe('Orders that wait for a review'),
      to_ship: count().describe('Orders in progress'),
      unpaid: count().describe('Orders awaiting payment'),
      pending_returns: count().describe('Returns waiting for a decision'),
      failed_webhooks: count().describe('Disabled webhooks'),
      past_due_subscriptions: count(),
      series: z.array(z.object({ period: z.string(), orders: count(), net_cents: z.int() })),
    })
    .meta({ id: 'StoreDashboard' }),
);

const soldView = ({ revenueCents, orders, averageCents, conversion }: Sold) => ({
  revenue_cents: revenueCents,
  orders,
  aov_cents: averageCents,
  conversion,
});

async function shown(ctx: Ctx, range: Range): Promise<z.output<typeof DashboardView>> {
  const { reported, now, before } = await dashboard(ctx, range);
  const { lowStock, toReview, toShip, unpaid, returns, failedWebhooks } = await alertsOf(ctx);
  const { from, to, zone, currency, rows, compared } = reported;
  return {
    from,
    to,
    time_zone: zone,
    currency,
    ...soldView(now),
    previous: { from: compared?.from ?? '', to: compared?.to ?? '', ...soldView(before) },
    low_stock: lowStock,
    to_review: toReview,
    to_ship: toShip,
    unpaid,
    pending_returns: returns,
    failed_webhooks: failedWebhooks,
    past_due_subscriptions: 0,
    series: rows.map((row) => ({
      period: String(row.period),
      orders: Number(row.orders),
      net_cents: Number(row.net_cents),
    })),
  };
}

export const dashboardEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/store/dashboard',
    summary: 'Show recent sales and what needs attention',
    description: 'Figures that the caller may not see are 0.',
    scope: 'reports:read',
    orScope: 'orders:read',
    limit: null,
    query: later(() =>
      z.object({
        range: oneOf(RANGE_NAMES).default('30d').describe('Up to today, in the time zone of the shop'),
      }),
    ),
    replies: { 200: z.object({ data: DashboardView }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query }) => ({ status: 200, body: { data: await shown(ctx, query.range) } }),
  }),
];
