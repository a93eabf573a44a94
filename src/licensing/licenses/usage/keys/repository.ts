import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { STEP_ROWS, type Step } from '#kernel/jobs/step.ts';

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
    .limit(STEP_ROWS)
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
    next: rows.length < STEP_ROWS ? null : { licenseId: last.license_id, key: last.idempotency_key },
  };
}
