import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { KeyKind } from '#licensing/contract/enumerations.ts';

/** A key as it is stored; times are ISO 8601 UTC. */
export interface NewKey {
  id: string;
  licenseId: string;
  digest: string;
  sealed: string;
  prefix: string;
  isCanonical: boolean;
  kind: KeyKind;
  overlapUntil: string | null;
  thenHoneypot: boolean;
  replacedAt: string | null;
  createdAt: string;
}

const columns = [
  'id',
  'license_id',
  'digest',
  'key_enc',
  'prefix',
  'is_canonical',
  'kind',
  'overlap_until',
  'then_honeypot',
  'replaced_at',
  'created_at',
] as const;
type Values = Record<(typeof columns)[number], string | boolean | null>;

const insertRow = statement<Values>((q, p) =>
  q('license_keys')
    .insert(p.row(...columns))
    .onConflict('digest')
    .ignore(),
);

/** Stores a key of a license; false when any license has, or once had, that key (licensing 5.4). */
export const insert = async (ctx: Ctx, key: NewKey): Promise<boolean> =>
  (await insertRow.run(ctx.db, {
    id: key.id,
    license_id: key.licenseId,
    digest: key.digest,
    key_enc: key.sealed,
    prefix: key.prefix,
    is_canonical: key.isCanonical,
    kind: key.kind,
    overlap_until: key.overlapUntil,
    then_honeypot: key.thenHoneypot,
    replaced_at: key.replacedAt,
    created_at: key.createdAt,
  })) === 1;

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
