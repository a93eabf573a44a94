import { type Check, type CheckScope, type Finding, fail, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { dayIn, startOfDay } from '#storefront/contract/local-day.ts';
import { timezone } from '#storefront/contract/settings.ts';
import { dayFacts } from './daily/queries.ts';
import { addDays } from './daily/ranges.ts';
import { nextPlaced } from './facts/queries.ts';
import { begin, countChanges, deltaOf } from './fold.ts';
import { difference } from './measures.ts';
import type { ReportState } from './record.ts';
import { findState, listChanges, oldestChange } from './repository.ts';

/** Days that are compared with every order of theirs; older ones are compared by what was counted of them. */
const DAYS = 14;
const AT_ONCE = 500;
const MOST_NAMED = 5;
/** The job runs every ten seconds. */
const LATE_SECONDS = 900;
const HINT = 'appctl doctor --fix counts all orders again';

/** Days of which the tables say something else than the orders that were placed on them. */
async function wrongOrders(ctx: Ctx, state: ReportState): Promise<string[]> {
  const zone = ctx.settings.get(timezone);
  const first = startOfDay(addDays(dayIn(ctx.now(), zone), 1 - DAYS), zone) ?? '';
  const wrong: string[] = [];
  for (let after = { placedAt: first, id: '' }; ; ) {
    const places = await nextPlaced(ctx, after, AT_ONCE);
    const { facts } = await deltaOf(
      ctx,
      places.map(({ id }) => id),
      state,
    );
    wrong.push(...facts.map(([, day]) => day));
    after = places.at(-1) ?? after;
    if (places.length < AT_ONCE) break;
  }
  return [...new Set(wrong)].sort();
}

const daysIn = (days: readonly string[]): string =>
  days.length <= MOST_NAMED ? days.join(', ') : `${days.slice(0, MOST_NAMED).join(', ')} and more`;

async function compared(ctx: Ctx): Promise<Finding> {
  const state = await findState(ctx);
  if (!state) return ok('nothing has been counted yet');
  if (state.afterPlacedAt !== null)
    return ok(`all orders are being counted again: ${state.done} of ${state.total} are done`);
  const oldest = await oldestChange(ctx);
  if (oldest !== null && oldest < addSeconds(ctx.now(), -LATE_SECONDS))
    return warn(
      'orders have waited for more than 15 minutes to be counted in reports',
      'appctl jobs run count-reports',
    );
  // What has just changed is not counted yet, and is no fault.
  if ((await listChanges(ctx, 1)).length > 0) return ok('orders are being counted');
  const orders = await wrongOrders(ctx, state);
  if (orders.length > 0) return fail(`report figures do not match the orders on ${daysIn(orders)}`, HINT);
  const tables = [...new Set(difference(...(await dayFacts(ctx, state.round))).map(([, day]) => day))].sort();
  if (tables.length > 0) return fail(`report figures do not add up on ${daysIn(tables)}`, HINT);
  return ok('report figures match the orders');
}

async function countAgain({ opened }: CheckScope): Promise<void> {
  if (!opened?.current) return;
  const { ctx } = opened;
  await begin(ctx, true);
  await countChanges(ctx);
}

export const reportChecks: readonly Check[] = [
  {
    id: 'store.reports',
    title: 'figures of reports',
    isLong: 'daily',
    run: onSchema(compared),
    fix: countAgain,
  },
];
