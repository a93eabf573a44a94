import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { webhookRows } from '#platform/webhooks/index.ts';
import { dayIn, startOfDay } from '#storefront/contract/local-day.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { figureOf, type Reported, report } from '../reports/index.ts';
import { countCarts, countLow, countOrders } from './queries.ts';

/** How many days the figures are about, today among them. */
export const RANGES = { today: 1, '7d': 7, '30d': 30, '90d': 90 } as const;
export type Range = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as [Range, ...Range[]];

/** What the shop sold within some days, and within as many before. */
export interface Sold {
  /** What the orders come to that were placed then and not cancelled, paid or not, before refunds. */
  readonly salesCents: number;
  /** Money that went back then. */
  readonly refundsCents: number;
  /** The first less the second. */
  readonly revenueCents: number;
  readonly orders: number;
  /** Of an order before refunds; null where there is none. */
  readonly averageCents: number | null;
  /** Carts that became an order, 0 to 1; null where there was none. */
  readonly conversion: number | null;
}

export interface Dashboard {
  readonly reported: Reported;
  readonly now: Sold;
  readonly before: Sold;
}

const DAY_MS = 86_400_000;
const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) - days * DAY_MS).toISOString().slice(0, 10);

async function soldIn(
  ctx: Ctx,
  { from, to }: { readonly from: string; readonly to: string },
  zone: string,
  totals: Reported['totals'],
  webOrders: number,
): Promise<Sold> {
  const orders = figureOf(totals, 'orders');
  const carts = await countCarts(
    ctx,
    startOfDay(from, zone) ?? from,
    startOfDay(daysBefore(to, -1), zone) ?? to,
  );
  const salesCents = figureOf(totals, 'total_cents');
  return {
    salesCents,
    refundsCents: figureOf(totals, 'refunds_cents'),
    revenueCents: figureOf(totals, 'net_cents'),
    orders,
    averageCents: orders === 0 ? null : Math.round(salesCents / orders),
    conversion: carts === 0 ? null : Math.min(1, Math.round((webOrders / carts) * 10_000) / 10_000),
  };
}

/** What the shop sold lately, day by day, and as many days before. @throws AppError INSUFFICIENT_SCOPE */
export async function dashboard(ctx: Ctx, range: Range): Promise<Dashboard> {
  const zone = ctx.settings.get(timezone);
  const to = dayIn(ctx.now(), zone);
  const wish = { from: daysBefore(to, RANGES[range] - 1), to, compare: 'previous', group: 'day' } as const;
  const reported = await report(ctx, 'sales', wish);
  const web = await report(ctx, 'sales', { ...wish, channel: 'web' });
  const before = reported.compared ?? { ...reported, totals: {} };
  return {
    reported,
    now: await soldIn(ctx, reported, zone, reported.totals, figureOf(web.totals, 'orders')),
    before: await soldIn(ctx, before, zone, before.totals, figureOf(web.compared?.totals ?? {}, 'orders')),
  };
}

/** What waits for somebody; 0 also where the actor may not know. */
export interface Alerts {
  readonly lowStock: number;
  readonly toReview: number;
  readonly toShip: number;
  readonly unpaid: number;
  readonly returns: number;
  readonly failedWebhooks: number;
}

export async function alertsOf(ctx: Ctx): Promise<Alerts> {
  const { actor } = ctx;
  const orders = allows(actor, 'orders:read')
    ? await countOrders(ctx)
    : { toReview: 0, toShip: 0, unpaid: 0, returns: 0 };
  return {
    ...orders,
    lowStock: allows(actor, 'inventory:read') ? await countLow(ctx) : 0,
    failedWebhooks: allows(actor, 'webhooks:read') ? await countDisabled(ctx) : 0,
  };
}

/** Webhooks that are disabled, as their list shows them. */
async function countDisabled(ctx: Ctx): Promise<number> {
  const rows = webhookRows('store');
  const filters = { active: rows.parameters.active?.parse('false') };
  return (await rows.page(ctx, { filters, offset: 0, limit: 1 })).total;
}
