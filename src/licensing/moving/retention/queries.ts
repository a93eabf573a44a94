import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const churnWindow = statement<object, { days: number | null }>((q) =>
  q('license_policies').max('deactivation_window_days as days'),
);

/** Days of the longest window in which any policy counts deactivations; 0 for none (D63). */
export const longestChurnWindow = async (ctx: Ctx): Promise<number> =>
  (await churnWindow.first(ctx.db, {}))?.days ?? 0;
