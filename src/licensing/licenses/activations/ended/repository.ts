import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { STEP_ROWS, type Step } from '#kernel/jobs/step.ts';

/** A place in the order of ended activations. */
export interface EndedPlace {
  endedAt: string;
  id: string;
}

interface EndedRange {
  before: string;
  from_at: string;
  from_id: string;
}

const endedWindow = statement<EndedRange, { ended_at: string; id: string; license_id: string }>((q, p) =>
  q('license_activations')
    .whereNotNull('ended_at')
    .where('ended_at', '<', p('before'))
    .whereRaw('(ended_at, id) > (?, ?)', [p('from_at'), p('from_id')])
    .orderBy('ended_at')
    .orderBy('id')
    .limit(STEP_ROWS)
    .select('ended_at', 'id', 'license_id'),
);

const deleteEnded = statement<EndedRange & { to_at: string; to_id: string; churn_before: string }>((q, p) =>
  q('license_activations')
    .whereNotNull('ended_at')
    .where('ended_at', '<', p('before'))
    .whereRaw('(ended_at, id) > (?, ?)', [p('from_at'), p('from_id')])
    .whereRaw('(ended_at, id) <= (?, ?)', [p('to_at'), p('to_id')])
    .andWhere((lapsed) => lapsed.whereNot('end_reason', 'CLIENT').orWhere('ended_at', '<', p('churn_before')))
    .delete(),
);

/**
 * Deletes activations that ended long ago, oldest first.
 *
 * @param times `before` for all of them; `churnBefore`, which is not later, for those that a client ended
 * @param after where the step before ended; those that it kept are not read again
 * @returns `licenseIds` whose they were, or are where they were kept
 */
export async function removeEnded(
  ctx: Ctx,
  times: { before: string; churnBefore: string },
  after: EndedPlace | null,
): Promise<Step<EndedPlace> & { licenseIds: string[] }> {
  const range = { before: times.before, from_at: after?.endedAt ?? '', from_id: after?.id ?? '' };
  const rows = await endedWindow.all(ctx.db, range);
  const last = rows.at(-1);
  if (!last) return { changed: 0, next: null, licenseIds: [] };
  const until = { to_at: last.ended_at, to_id: last.id, churn_before: times.churnBefore };
  const changed = await deleteEnded.run(ctx.db, { ...range, ...until });
  return {
    changed,
    next: rows.length < STEP_ROWS ? null : { endedAt: last.ended_at, id: last.id },
    licenseIds: [...new Set(rows.map((row) => row.license_id))],
  };
}
