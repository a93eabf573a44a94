import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

/** Rows of one transaction: on SQLite other writers wait for it (C16). */
const ROWS = 500;

/** What one transaction did; `next` is where the following one begins, null when there is nothing more. */
export interface Step<Place> {
  changed: number;
  next: Place | null;
}

const churnWindow = statement<object, { days: number | null }>((q) =>
  q('license_policies').max('deactivation_window_days as days'),
);

/** Days of the longest window in which any policy counts deactivations; 0 for none (D63). */
export const longestChurnWindow = async (ctx: Ctx): Promise<number> =>
  (await churnWindow.first(ctx.db, {}))?.days ?? 0;

/** A place in the order of ended activations. */
export interface Ended {
  endedAt: string;
  id: string;
}

interface EndedRange {
  before: string;
  from_at: string;
  from_id: string;
}

const endedWindow = statement<EndedRange, { ended_at: string; id: string }>((q, p) =>
  q('license_activations')
    .whereNotNull('ended_at')
    .where('ended_at', '<', p('before'))
    .whereRaw('(ended_at, id) > (?, ?)', [p('from_at'), p('from_id')])
    .orderBy('ended_at')
    .orderBy('id')
    .limit(ROWS)
    .select('ended_at', 'id'),
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
 */
export async function removeEnded(
  ctx: Ctx,
  times: { before: string; churnBefore: string },
  after: Ended | null,
): Promise<Step<Ended>> {
  const range = { before: times.before, from_at: after?.endedAt ?? '', from_id: after?.id ?? '' };
  const rows = await endedWindow.all(ctx.db, range);
  const last = rows.at(-1);
  if (!last) return { changed: 0, next: null };
  const until = { to_at: last.ended_at, to_id: last.id, churn_before: times.churnBefore };
  const changed = await deleteEnded.run(ctx.db, { ...range, ...until });
  return { changed, next: rows.length < ROWS ? null : { endedAt: last.ended_at, id: last.id } };
}

/** A place in the order of idempotency keys of usage. */
export interface UsageKey {
  licenseId: string;
  key: string;
}

interface KeyRange {
  from_license: string;
  from_key: string;
}

const keyWindow = statement<KeyRange, { license_id: string; idempotency_key: string }>((q, p) =>
  q('license_usage')
    .whereNotNull('idempotency_key')
    .whereRaw('(license_id, idempotency_key) > (?, ?)', [p('from_license'), p('from_key')])
    .orderBy('license_id')
    .orderBy('idempotency_key')
    .limit(ROWS)
    .select('license_id', 'idempotency_key'),
);

const clearKeys = statement<KeyRange & { to_license: string; to_key: string; before: string }>((q, p) =>
  q('license_usage')
    .whereNotNull('idempotency_key')
    .whereRaw('(license_id, idempotency_key) > (?, ?)', [p('from_license'), p('from_key')])
    .whereRaw('(license_id, idempotency_key) <= (?, ?)', [p('to_license'), p('to_key')])
    .where('at', '<', p('before'))
    .update({ idempotency_key: null }),
);

/**
 * Forgets idempotency keys of usage (D81); the records stay. Walks all keys along their unique index: there is none
 * by time, which would cost every metered call more than this walk costs once a day.
 */
export async function clearUsageKeys(
  ctx: Ctx,
  before: string,
  after: UsageKey | null,
): Promise<Step<UsageKey>> {
  const range = { from_license: after?.licenseId ?? '', from_key: after?.key ?? '' };
  const rows = await keyWindow.all(ctx.db, range);
  const last = rows.at(-1);
  if (!last) return { changed: 0, next: null };
  const until = { to_license: last.license_id, to_key: last.idempotency_key, before };
  const changed = await clearKeys.run(ctx.db, { ...range, ...until });
  return {
    changed,
    next: rows.length < ROWS ? null : { licenseId: last.license_id, key: last.idempotency_key },
  };
}

const oldRequests = statement<{ before: string }>((q, p) =>
  q('license_requests')
    .whereIn('id', q('license_requests').where('at', '<', p('before')).orderBy('at').limit(ROWS).select('id'))
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
export const removeObservations = async (ctx: Ctx, kind: string, before: string): Promise<Step<true>> => {
  const changed = await oldObservations.run(ctx.db, { kind, before: before.slice(0, 16) });
  return { changed, next: changed < OBSERVATIONS ? null : true };
};

const denialKey = ['license_id', 'day', 'code'];
const oldDenials = statement<{ before: string }>((q, p) =>
  q('license_denials')
    .whereIn(
      denialKey,
      q('license_denials')
        .where('day', '<', p('before'))
        .orderBy('day')
        .limit(ROWS)
        .select(...denialKey),
    )
    .delete(),
);

/** Deletes the refusals of days before that of a time. */
export const removeDenials = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await oldDenials.run(ctx.db, { before: before.slice(0, 10) }));

const doneEvents = statement<{ before: string }>((q, p) =>
  q('license_inbound_events')
    .whereIn(
      'id',
      q('license_inbound_events')
        .where('received_at', '<', p('before'))
        // Part of the statement: for parameters SQLite does not use the index.
        .whereRaw("status IN ('PROCESSED', 'IGNORED') AND body <> ''")
        // What is mapped in part can still be processed again.
        .whereRaw("coalesce(reason, '') <> 'PARTLY_UNMAPPED'")
        .orderBy('received_at')
        .limit(ROWS)
        .select('id'),
    )
    .update({ body: '', headers: '{}' }),
);

const refusalKey = ['config_id', 'hour', 'reason', 'ip'];
const oldRefusals = statement<{ before: string }>((q, p) =>
  q('license_inbound_refusals')
    .whereIn(
      refusalKey,
      q('license_inbound_refusals')
        .where('hour', '<', p('before'))
        .orderBy('hour')
        .limit(ROWS)
        .select(...refusalKey),
    )
    .delete(),
);

/**
 * Empties inbound events that are done with, oldest first. The rows stay: they are what tells a repeated delivery, and
 * claims name them.
 */
export const emptyInbox = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await doneEvents.run(ctx.db, { before }));

/** Deletes counts of refused inbound events of whole hours. */
export const removeRefusals = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await oldRefusals.run(ctx.db, { before: before.slice(0, 13) }));

/** Nothing is left standing in front of these, so each step begins at the oldest. */
const stepOf = (changed: number): Step<true> => ({ changed, next: changed < ROWS ? null : true });
