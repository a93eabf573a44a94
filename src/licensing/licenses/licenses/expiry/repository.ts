import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const expireRow = statement<{ id: string; now: string }, { announced: boolean | number }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .where('status', 'ACTIVE')
    .where('valid_until', '<=', p('now'))
    .update({ status: 'EXPIRED', updated_at: p('now') })
    .returning(q.raw('(expired_event_for IS NOT NULL AND expired_event_for = valid_until) AS announced')),
);

const noteExpired = statement<{ id: string }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .update({ expired_event_for: q.ref('valid_until') }),
);

/**
 * Persists EXPIRED; tells whether the row changed and whether its date was announced before (D34, 5.4).
 *
 * @param now ISO 8601 UTC, at which its date has passed
 */
export async function expire(
  ctx: Ctx,
  id: string,
  now: string,
): Promise<{ changed: boolean; announced: boolean }> {
  const row = await expireRow.first(ctx.db, { id, now });
  if (!row) return { changed: false, announced: false };
  const announced = row.announced === true || row.announced === 1;
  if (!announced) await noteExpired.run(ctx.db, { id });
  return { changed: true, announced };
}

/** Which of these licenses are outside the trash and due to expire, in the order of their ids. */
export async function listDueAmong(ctx: Ctx, licenseIds: readonly string[], now: string): Promise<string[]> {
  const rows: { id: string }[] = await ctx.db
    .knex('licenses')
    .whereIn('id', [...licenseIds])
    .where('status', 'ACTIVE')
    .where('valid_until', '<=', now)
    .whereNull('deleted_at')
    .orderBy('id')
    .select('id');
  return rows.map(({ id }) => id);
}

/** A license whose date has passed, and where it stands in the order of dates. */
export interface DueLicense {
  id: string;
  tenantId: string;
  validUntil: string;
}

const dueRows = statement<
  { now: string; from_until: string; from_id: string },
  { id: string; tenant_id: string; valid_until: string }
>((q, p) =>
  q('licenses')
    .where('status', 'ACTIVE')
    .where('valid_until', '<=', p('now'))
    .whereRaw('(valid_until, id) > (?, ?)', [p('from_until'), p('from_id')])
    .whereNull('deleted_at')
    .orderBy('valid_until')
    .orderBy('id')
    .limit(500)
    .select('id', 'tenant_id', 'valid_until'),
);

/**
 * Licenses whose date has passed and whose stored status does not say so yet; at most 500.
 *
 * @param after the last one that was looked at; null for the first ones
 */
export async function listDueToExpire(ctx: Ctx, after: DueLicense | null): Promise<DueLicense[]> {
  const from = { from_until: after?.validUntil ?? '', from_id: after?.id ?? '' };
  const rows = await dueRows.all(ctx.db, { now: ctx.now(), ...from });
  return rows.map((row) => ({ id: row.id, tenantId: row.tenant_id, validUntil: row.valid_until }));
}
