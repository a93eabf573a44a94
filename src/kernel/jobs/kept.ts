import { addSeconds, SECONDS_PER_DAY } from '../clock.ts';
import type { Ctx } from '../context.ts';
import type { Kept, TableRecord } from '../db/record.ts';
import { deleteOld } from '../db/record-rows.ts';
import { STEP_ROWS, stepOf, takeSteps } from './step.ts';

/** How the rows of one rule go; compiled once. */
type Removal = (ctx: Ctx) => Promise<number>;

function removalOf(record: TableRecord, kept: Kept): Removal {
  const { days, atOnce = STEP_ROWS } = kept;
  const remove = deleteOld(record, kept, atOnce);
  return (ctx) => {
    const kept = typeof days === 'number' ? days : ctx.settings.get(days);
    const before = addSeconds(ctx.now(), -kept * SECONDS_PER_DAY);
    return takeSteps<true>(ctx, async (ctx) => stepOf(await remove(ctx, before), atOnce));
  };
}

/**
 * What removes the rows that records keep for a time, in steps of a few hundred rows (C16).
 *
 * @returns a function that answers how many rows went, by the names of the rules
 */
export function removerOf(records: readonly TableRecord[]): (ctx: Ctx) => Promise<Record<string, number>> {
  const removals = records.flatMap((record) =>
    typeof record.kept === 'string'
      ? []
      : record.kept.map((kept) => [kept.as, removalOf(record, kept)] as const),
  );
  return async (ctx) => {
    const removed: Record<string, number> = {};
    for (const [name, remove] of removals) removed[name] = (removed[name] ?? 0) + (await remove(ctx));
    return removed;
  };
}
