import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { STEP_ROWS, type Step, stepOf } from '#kernel/jobs/step.ts';

const churnWindow = statement<object, { days: number | null }>((q) =>
  q('license_policies').max('deactivation_window_days as days'),
);

/** Days of the longest window in which any policy counts deactivations; 0 for none (D63). */
export const longestChurnWindow = async (ctx: Ctx): Promise<number> =>
  (await churnWindow.first(ctx.db, {}))?.days ?? 0;

const oldRequests = statement<{ before: string }>((q, p) =>
  q('license_requests')
    .whereIn(
      'id',
      q('license_requests').where('at', '<', p('before')).orderBy('at').limit(STEP_ROWS).select('id'),
    )
    .delete(),
);

/** Each has an index of its own to leave besides the row. */
const OBSERVATIONS = 100;
const observationKey = ['license_id', 'day', 'kind', 'value'];
const oldObservations = statement<{ kind: string; before: string }>((q, p) =>
  q('license_observations')
    .whereIn(
      observationKey,
      q('license_observations')
        .where('kind', p('kind'))
        .where('noted_at', '<', p('before'))
        .orderBy('noted_at')
        .limit(OBSERVATIONS)
        .select(...observationKey),
    )
    .delete(),
);

/** Deletes recorded calls, oldest first. */
export const removeRequests = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await oldRequests.run(ctx.db, { before }));

/** Deletes observations of a kind that were last written before a time, which is never before they were made. */
export const removeObservations = async (ctx: Ctx, kind: string, before: string): Promise<Step<true>> =>
  stepOf(await oldObservations.run(ctx.db, { kind, before: before.slice(0, 16) }), OBSERVATIONS);

const denialKey = ['license_id', 'day', 'code'];
const oldDenials = statement<{ before: string }>((q, p) =>
  q('license_denials')
    .whereIn(
      denialKey,
      q('license_denials')
        .where('day', '<', p('before'))
        .orderBy('day')
        .limit(STEP_ROWS)
        .select(...denialKey),
    )
    .delete(),
);

/** Deletes the refusals of days before that of a time. */
export const removeDenials = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await oldDenials.run(ctx.db, { before: before.slice(0, 10) }));
