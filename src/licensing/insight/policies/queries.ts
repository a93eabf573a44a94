import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJsonOrNull } from '#kernel/db/columns.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type {
  ActivationFacts,
  Features,
  LicenseFacts,
  ProductFacts,
} from '#licensing/licenses/decision/index.ts';

/** A license and one of its live machines, or none when it has none. */
export interface Governed {
  license: LicenseFacts;
  product: ProductFacts;
  keyPrefix: string;
  machineId: string | null;
  /** As the machine last told it. */
  appVersion: string | null;
  activation: ActivationFacts | null;
}

/** Where a page begins: after this license and activation. */
export interface Cursor {
  licenseId: string;
  activationId: string;
}

/** Before the first one. */
export const START: Cursor = { licenseId: '', activationId: '' };

/**
 * The next licenses that a policy governs, by their own word or by their product's (D64), each with each of its live
 * machines; in the order of their ids. Trashed licenses are left out.
 */
export async function listGoverned(
  ctx: Ctx,
  policyId: string,
  after: Cursor,
  limit: number,
): Promise<Governed[]> {
  const { knex } = ctx.db;
  const now = ctx.now();
  const rows = await knex('licenses as l')
    .join('license_products as p', 'p.id', 'l.product_id')
    .join('license_keys as k', (on) => on.on('k.license_id', 'l.id').andOn('k.kind', knex.raw("'CURRENT'")))
    .leftJoin('license_activations as a', (on) => {
      on.on('a.license_id', 'l.id')
        .andOnNull('a.ended_at')
        .andOn(knex.raw('(a.lease_expires_at IS NULL OR a.lease_expires_at > ?)', [now]));
    })
    // Terms that no index fits: by one of them SQLite would read and sort all licenses again for every page, instead
    // of going along the index of the current keys, which is the order.
    .whereRaw("coalesce(l.tenant_id, '') = ?", [ctx.tenantId])
    .whereRaw('coalesce(l.policy_id, p.policy_id) = ?', [policyId])
    .whereNull('l.deleted_at')
    .modify((query) => void visibleTo(ctx, query, { license_product: 'p.id' }))
    .where('k.license_id', '>=', after.licenseId)
    .where((next) =>
      next.where('k.license_id', '>', after.licenseId).orWhere('a.id', '>', after.activationId),
    )
    .orderBy(['k.license_id', 'a.id'])
    .limit(limit)
    .select(...columns);
  return rows.map(toGoverned);
}

const columns = [
  'l.id',
  'l.status',
  'l.type',
  'l.tier',
  'l.valid_until',
  'l.max_activations',
  'l.max_version',
  'l.max_uses',
  'l.current_uses',
  'l.features',
  'l.grace_period_seconds',
  'l.suspended_at',
  'l.revoked_at',
  'k.prefix',
  'p.id as product_id',
  'p.status as product_status',
  'p.licensing_mode',
  'p.critical_updates_for_expired',
  'a.id as activation_id',
  'a.kind',
  'a.machine_id',
  'a.app_version',
  'a.lease_expires_at',
  'a.last_seen_at',
];

/** The columns are those of the select above, whose types no compiler knows. */
const toGoverned = (row: Record<string, unknown>): Governed => ({
  license: {
    id: row.id as string,
    status: row.status as LicenseFacts['status'],
    type: row.type as LicenseFacts['type'],
    tier: row.tier as LicenseFacts['tier'],
    validUntil: row.valid_until as string | null,
    maxActivations: row.max_activations as number,
    maxVersion: row.max_version as string | null,
    maxUses: row.max_uses as number | null,
    currentUses: Number(row.current_uses),
    features: readJsonOrNull<Features>(row.features),
    gracePeriodSeconds: row.grace_period_seconds as number | null,
    suspendedAt: row.suspended_at as string | null,
    revokedAt: row.revoked_at as string | null,
  },
  product: {
    id: row.product_id as string,
    status: row.product_status as ProductFacts['status'],
    licensingMode: row.licensing_mode as ProductFacts['licensingMode'],
    criticalUpdatesForExpired: readFlag(row.critical_updates_for_expired),
  },
  keyPrefix: row.prefix as string,
  machineId: row.machine_id as string | null,
  appVersion: row.app_version as string | null,
  activation: row.activation_id === null ? null : toActivation(row, row.activation_id as string),
});

const toActivation = (row: Record<string, unknown>, id: string): ActivationFacts => ({
  id,
  kind: row.kind as ActivationFacts['kind'],
  leaseExpiresAt: row.lease_expires_at as string | null,
  lastSeenAt: row.last_seen_at as string,
});
