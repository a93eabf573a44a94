import type { Ctx } from '#kernel/context.ts';
import { daysOf, type RangeAsked } from '../statistics/index.ts';
import {
  countCreated,
  countExpiring,
  countFloatingSeats,
  countLicenses,
  countSeatsInUse,
  listDays,
  ownLicenses,
} from './queries.ts';
import type { Overview } from './view.ts';

const DAYS = 30;

/**
 * The figures of a tenant, of the products that the actor sees. Counters of today are up to ten seconds old.
 *
 * @param asked which days to list, 30 when left out
 * @throws AppError VALIDATION_ERROR for a range out of bounds
 */
export async function overview(ctx: Ctx, asked: RangeAsked): Promise<Overview> {
  const range = daysOf(ctx, asked, DAYS);
  const now = ctx.now();
  const own = ownLicenses(ctx);
  const statuses = await countLicenses(ctx, own);
  const { machines, leases } = await countSeatsInUse(ctx, own);
  const month = await listDays(ctx, daysOf(ctx, {}, DAYS));
  return {
    at: now,
    ...range,
    licenses: {
      total: Object.values(statuses).reduce((sum, n) => sum + n, 0),
      byStatus: statuses,
      expiringIn30Days: await countExpiring(ctx, own),
      newThisMonth: await countCreated(ctx, `${now.slice(0, 7)}-01T00:00:00.000Z`),
    },
    activeMachines: machines,
    seats: { used: leases, limit: await countFloatingSeats(ctx) },
    denialsIn30Days: month.reduce((sum, { denials }) => sum + denials, 0),
    days: await listDays(ctx, range),
  };
}
