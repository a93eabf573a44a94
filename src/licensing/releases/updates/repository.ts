import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { isId } from '#kernel/ids.ts';
import { ids } from '#licensing/contract/ids.ts';

const productOf = statement<{ id: string }, { product_id: string }>((q, p) =>
  q('license_releases').where('id', p('id')).select('product_id'),
);

/** The product of a release of any tenant, in any state; null when there is no such release. */
export const findProductOf = async (ctx: Ctx, releaseId: string): Promise<string | null> =>
  isId(ids.release, releaseId)
    ? ((await productOf.first(ctx.db, { id: releaseId }))?.product_id ?? null)
    : null;

/** What was counted of a release on a day, from one version (8.4, D91). */
export interface Counted {
  releaseId: string;
  /** `YYYY-MM-DD` in UTC. */
  day: string;
  /** Empty: not said, or one of too many. */
  fromVersion: string;
  checks: number;
  offers: number;
  downloads: number;
}

const TABLE = 'license_release_stats';

/** Which of these releases exist; they stay until the transaction ends. */
export async function lockLiving(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db
    .knex('license_releases')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map((row) => row.id));
}

const versionsOf = statement<{ release_id: string; day: string }, { from_version: string }>((q, p) =>
  q(TABLE).where(p.row('release_id', 'day')).select('from_version'),
);

/** The versions that a release was counted from on a day. */
export const listVersions = async (ctx: Ctx, releaseId: string, day: string): Promise<Set<string>> => {
  const rows = await versionsOf.all(ctx.db, { release_id: releaseId, day });
  return new Set(rows.map((row) => row.from_version));
};

const addCounts = statement<{
  release_id: string;
  day: string;
  from_version: string;
  checks: number;
  offers: number;
  downloads: number;
}>((q, p) => {
  const sum = (column: string) => q.raw('?? + excluded.??', [`${TABLE}.${column}`, column]);
  return q(TABLE)
    .insert(p.row('release_id', 'day', 'from_version', 'checks', 'offers', 'downloads'))
    .onConflict(['release_id', 'day', 'from_version'])
    .merge({ checks: sum('checks'), offers: sum('offers'), downloads: sum('downloads') });
});

export async function add(ctx: Ctx, one: Counted): Promise<void> {
  const { releaseId, day, fromVersion, checks, offers, downloads } = one;
  const row = { release_id: releaseId, day, from_version: fromVersion, checks, offers, downloads };
  await addCounts.run(ctx.db, row);
}
