import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyKind } from '#licensing/contract/enumerations.ts';

const keyColumns = ['id', 'license_id', 'digest', 'key_enc', 'prefix', 'is_canonical', 'created_at'] as const;
type KeyValues = Record<Exclude<(typeof keyColumns)[number], 'is_canonical'>, string> & {
  is_canonical: boolean;
};

const insertRow = statement<KeyValues>((q, p) =>
  q('license_keys')
    .insert({ ...p.row(...keyColumns), kind: 'CURRENT', then_honeypot: q.raw('false') })
    .onConflict('digest')
    .ignore(),
);

/** Stores the current key of a license; false when any license has, or once had, that key (licensing 5.4). */
export const insert = async (ctx: Ctx, key: KeyValues): Promise<boolean> =>
  (await insertRow.run(ctx.db, key)) === 1;

/** What becomes of a key that is replaced (D130). */
export interface Retirement {
  kind: Exclude<KeyKind, 'CURRENT'>;
  /** ISO 8601 UTC until which a REPLACED key still works; null: it is dead at once. */
  overlapUntil: string | null;
  /** A REPLACED key becomes a honeypot when its overlap is over. */
  thenHoneypot: boolean;
}

/** Takes the current key of a locked license out of use. */
export async function retire(ctx: Ctx, licenseId: string, retirement: Retirement): Promise<void> {
  await ctx.db.knex('license_keys').where({ license_id: licenseId, kind: 'CURRENT' }).update({
    kind: retirement.kind,
    overlap_until: retirement.overlapUntil,
    then_honeypot: retirement.thenHoneypot,
    replaced_at: ctx.now(),
  });
}

/**
 * Lets no key that was replaced before work longer than this.
 *
 * @param latest ISO 8601 UTC; null: they are dead at once, also to a caller who has waited for the license's lock and
 *   looks them up by the time at which its waiting began
 */
export async function shortenOverlaps(ctx: Ctx, licenseId: string, latest: string | null): Promise<void> {
  await ctx.db
    .knex('license_keys')
    .where({ license_id: licenseId, kind: 'REPLACED' })
    .andWhere('overlap_until', '>', latest ?? ctx.now())
    .update({ overlap_until: latest });
}

/** The license counts as changed. */
export async function touch(ctx: Ctx, licenseId: string): Promise<void> {
  await ctx.db.knex('licenses').where({ id: licenseId }).update({ updated_at: ctx.now() });
}
