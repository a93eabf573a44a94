import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Standing, type StandingRow, standingColumns, toStanding } from './standing.ts';

/** D27, D75: a lease that has run out holds no seat, swept or not. */
export const liveCount = (q: Knex, now: string) =>
  q.raw(
    '(SELECT count(*) FROM license_activations x WHERE x.license_id = l.id AND x.ended_at IS NULL' +
      ' AND (x.lease_expires_at IS NULL OR x.lease_expires_at > ?)) AS used',
    [now],
  );

/** A standing with what updates ask of the product. */
export interface UpdateStanding extends Standing {
  /** Another number as soon as a release of the product has changed (decision 0025). */
  releasesVersion: number;
  /** D71. */
  prereleaseNeedsBeta: boolean;
}

type UpdateRow = StandingRow & { releases_version: number; prerelease_needs_beta: boolean | number };

interface Sought {
  tenant_id: string;
  machine_id: string;
  now: string;
}

function standing(q: Knex, machineId: string, now: string): Knex.QueryBuilder {
  return q('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .join('license_products as p', 'p.id', 'l.product_id')
    .leftJoin('license_policies as o', 'o.id', q.raw('coalesce(l.policy_id, p.policy_id)'))
    .leftJoin('license_activations as a', (on) => {
      on.on('a.license_id', 'l.id')
        .andOnNull('a.ended_at')
        .andOn('a.machine_id', q.raw('?', [machineId]));
    })
    .whereNull('l.deleted_at')
    .select(...standingColumns, liveCount(q, now));
}

/** The current key, and a replaced one as long as both overlap; only such a key has `overlap_until` (D130). */
const byDigest = statement<Sought & { digest: string }, StandingRow>((q, p) =>
  standing(q, p('machine_id'), p('now'))
    .where('k.digest', p('digest'))
    .where('l.tenant_id', p('tenant_id'))
    .andWhere((usable) => usable.where('k.kind', 'CURRENT').orWhere('k.overlap_until', '>', p('now'))),
);

const byId = statement<Sought & { id: string }, StandingRow>((q, p) =>
  standing(q, p('machine_id'), p('now'))
    .where('l.id', p('id'))
    .where('l.tenant_id', p('tenant_id'))
    .where('k.kind', 'CURRENT'),
);

/** Of the license alone, whoever its tenant is (D100). A suspended tenant's keys are nobody's (licensing 2.2). */
const byDigestAnywhere = statement<Omit<Sought, 'tenant_id'> & { digest: string }, UpdateRow>((q, p) =>
  standing(q, p('machine_id'), p('now'))
    .join('license_tenants as t', 't.id', 'l.tenant_id')
    .where('k.digest', p('digest'))
    .where('t.status', 'ACTIVE')
    .andWhere((usable) => usable.where('k.kind', 'CURRENT').orWhere('k.overlap_until', '>', p('now')))
    .select('p.releases_version', 'p.prerelease_needs_beta'),
);

const byIdForUpdates = statement<Sought & { id: string }, UpdateRow>((q, p) =>
  standing(q, p('machine_id'), p('now'))
    .join('license_tenants as t', 't.id', 'l.tenant_id')
    .where('l.id', p('id'))
    .where('l.tenant_id', p('tenant_id'))
    .where('t.status', 'ACTIVE')
    .where('k.kind', 'CURRENT')
    .select('p.releases_version', 'p.prerelease_needs_beta'),
);

const currentPrefix = statement<{ license_id: string }, { prefix: string }>((q, p) =>
  q('license_keys').where('license_id', p('license_id')).where('kind', 'CURRENT').select('prefix'),
);

const lockByDigest = statement<{ digest: string }>((q, p) =>
  q('licenses')
    .where('id', q('license_keys').where('digest', p('digest')).select('license_id'))
    .forUpdate()
    .select('id'),
);

const lockById = statement<{ id: string }>((q, p) =>
  q('licenses').where('id', p('id')).forUpdate().select('id'),
);

/** How a license is named: by the digest of its key and the spelling it was made of, or by its id. */
export type Named = { digest: string; spelling: string } | { id: string };

/**
 * The standing of a license towards a machine; null when the caller may not know of it: unknown, trashed, of another
 * tenant, or of a product outside the API key (D13, D19c, D42).
 */
export async function findStanding(
  ctx: Ctx,
  named: Named,
  machineId: string,
  now: string,
): Promise<Standing | null> {
  const sought = { tenant_id: ctx.tenantId, machine_id: machineId, now };
  const row =
    'digest' in named
      ? await byDigest.first(ctx.db, { ...sought, digest: named.digest })
      : await byId.first(ctx.db, { ...sought, id: named.id });
  if (!row || !reaches(ctx.actor, 'license_product', row.product_id)) return null;
  const standing = toStanding(row, 'spelling' in named && readFlag(row.is_canonical) ? named.spelling : null);
  if (row.key_kind === 'CURRENT') return standing;
  // Named by a replaced key: its holder is answered with that key, but events name the license by its own.
  const current = await currentPrefix.first(ctx.db, { license_id: row.id });
  return { ...standing, keyPrefix: current?.prefix ?? standing.keyPrefix };
}

/**
 * The standing of a license whose tenant its key decides: what the update endpoints ask (D100), with what they need of
 * the product in the same statement. null for an unknown or trashed license, or one of a suspended tenant. By its id it
 * is one of the ctx's tenant, for its owner who has signed in.
 */
export async function findUpdateStanding(
  ctx: Ctx,
  named: { digest: string } | { id: string },
  now: string,
): Promise<UpdateStanding | null> {
  const row =
    'digest' in named
      ? await byDigestAnywhere.first(ctx.db, { digest: named.digest, machine_id: '', now })
      : await byIdForUpdates.first(ctx.db, {
          id: named.id,
          tenant_id: ctx.tenantId,
          machine_id: '',
          now,
        });
  if (!row) return null;
  return {
    ...toStanding(row, null),
    releasesVersion: row.releases_version,
    prereleaseNeedsBeta: readFlag(row.prerelease_needs_beta),
  };
}

/**
 * Locks the license row (C1) and reads its standing; a use case does so by `lockStanding` of the licenses, which also
 * persists a date that has passed. Both are sent together: on Postgres the second statement runs when the lock is held,
 * with a snapshot of its own.
 */
export async function holdStanding(
  ctx: Ctx,
  named: Named,
  machineId: string,
  now: string,
): Promise<Standing | null> {
  const locked =
    'digest' in named ? lockByDigest.lock(ctx.db, { digest: named.digest }) : lockById.lock(ctx.db, named);
  const [, found] = await Promise.all([locked, findStanding(ctx, named, machineId, now)]);
  return found;
}
