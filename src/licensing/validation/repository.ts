import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type {
  ActivationKind,
  LicenseStatus,
  LicenseTier,
  LicenseType,
  LicensingMode,
  ProductStatus,
  TrialReuseRule,
} from '../enumerations.ts';
import type { ActivationFacts, Features, LicenseFacts, PolicyFacts, ProductFacts } from './facts.ts';

/** Everything that a decision about one license and one machine looks at, read by one statement. */
export interface Standing {
  license: LicenseFacts & { tenantId: string; customerId: string | null };
  /** Sealed; opened only where the specification returns the key. */
  sealedKey: string;
  /** The key itself, when the caller's canonical spelling is the stored one: nothing needs to be opened then. */
  spelling: string | null;
  keyPrefix: string;
  product: ProductFacts & { name: string; slug: string };
  policy: PolicyFacts | null;
  activation: (ActivationFacts & { machineName: string | null; activatedAt: string }) | null;
  /** Live activations. */
  used: number;
}

interface Row {
  id: string;
  tenant_id: string;
  customer_id: string | null;
  type: LicenseType;
  tier: LicenseTier;
  status: LicenseStatus;
  max_activations: number;
  valid_until: string | null;
  grace_period_seconds: number | null;
  features: string | null;
  max_version: string | null;
  max_uses: number | null;
  current_uses: number;
  suspended_at: string | null;
  revoked_at: string | null;
  key_enc: string;
  is_canonical: boolean | number;
  key_prefix: string;
  product_id: string;
  product_name: string;
  product_slug: string;
  product_status: ProductStatus;
  licensing_mode: LicensingMode;
  critical_updates_for_expired: boolean | number;
  policy_id: string | null;
  entitlements: string | null;
  policy_grace: number | null;
  policy_version: string | null;
  policy_uses: number | null;
  heartbeat_interval: number | null;
  default_lease_duration: number | null;
  max_deactivations: number | null;
  deactivation_window_days: number | null;
  offline_max_ttl_seconds: number | null;
  trial_reuse: TrialReuseRule | null;
  activation_id: string | null;
  kind: ActivationKind | null;
  machine_name: string | null;
  activated_at: string | null;
  last_seen_at: string | null;
  lease_expires_at: string | null;
  used: number;
}

const licenseColumns = [
  'l.id',
  'l.tenant_id',
  'l.customer_id',
  'l.type',
  'l.tier',
  'l.status',
  'l.max_activations',
  'l.valid_until',
  'l.grace_period_seconds',
  'l.features',
  'l.max_version',
  'l.max_uses',
  'l.current_uses',
  'l.suspended_at',
  'l.revoked_at',
  'k.key_enc',
  'k.is_canonical',
  'k.prefix as key_prefix',
];
const productColumns = [
  'p.id as product_id',
  'p.name as product_name',
  'p.slug as product_slug',
  'p.status as product_status',
  'p.licensing_mode',
  'p.critical_updates_for_expired',
];
const policyColumns = [
  'o.id as policy_id',
  'o.entitlements',
  'o.grace_period_seconds as policy_grace',
  'o.max_version as policy_version',
  'o.max_uses as policy_uses',
  'o.heartbeat_interval',
  'o.default_lease_duration',
  'o.max_deactivations',
  'o.deactivation_window_days',
  'o.offline_max_ttl_seconds',
  'o.trial_reuse',
];
const activationColumns = [
  'a.id as activation_id',
  'a.kind',
  'a.machine_name',
  'a.activated_at',
  'a.last_seen_at',
  'a.lease_expires_at',
];

/** D27, D75: a lease that has run out holds no seat, swept or not. */
export const liveCount = (q: Knex, now: string) =>
  q.raw(
    '(SELECT count(*) FROM license_activations x WHERE x.license_id = l.id AND x.ended_at IS NULL' +
      ' AND (x.lease_expires_at IS NULL OR x.lease_expires_at > ?)) AS used',
    [now],
  );

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
    .where('k.kind', 'CURRENT')
    .whereNull('l.deleted_at')
    .select(...licenseColumns, ...productColumns, ...policyColumns, ...activationColumns, liveCount(q, now));
}

const byDigest = statement<Sought & { digest: string }, Row>((q, p) =>
  standing(q, p('machine_id'), p('now')).where('k.digest', p('digest')).where('l.tenant_id', p('tenant_id')),
);

const byId = statement<Sought & { id: string }, Row>((q, p) =>
  standing(q, p('machine_id'), p('now')).where('l.id', p('id')).where('l.tenant_id', p('tenant_id')),
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
  if (!row) return null;
  const { confinedTo } = ctx.actor;
  if (confinedTo && !confinedTo.includes(row.product_id)) return null;
  return toStanding(row, 'spelling' in named && readFlag(row.is_canonical) ? named.spelling : null);
}

/**
 * Locks the license row (C1) and reads its standing. Both are sent together: on Postgres the second statement runs
 * when the lock is held, with a snapshot of its own.
 */
export async function lockStanding(
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

/** Locks the first of these names that the caller may know of, and reads its standing; null when there is none. */
export async function lockFirst(
  ctx: Ctx,
  names: readonly Named[],
  machineId: string,
): Promise<Standing | null> {
  for (const named of names) {
    const standing = await lockStanding(ctx, named, machineId, ctx.now());
    if (standing) return standing;
  }
  return null;
}

function toStanding(row: Row, spelling: string | null): Standing {
  return {
    license: {
      id: row.id,
      tenantId: row.tenant_id,
      customerId: row.customer_id,
      status: row.status,
      type: row.type,
      tier: row.tier,
      validUntil: row.valid_until,
      maxActivations: row.max_activations,
      maxVersion: row.max_version,
      maxUses: row.max_uses,
      currentUses: row.current_uses,
      features: readJsonOrNull<Features>(row.features),
      gracePeriodSeconds: row.grace_period_seconds,
      suspendedAt: row.suspended_at,
      revokedAt: row.revoked_at,
    },
    sealedKey: row.key_enc,
    spelling,
    keyPrefix: row.key_prefix,
    product: {
      id: row.product_id,
      name: row.product_name,
      slug: row.product_slug,
      status: row.product_status,
      licensingMode: row.licensing_mode,
      criticalUpdatesForExpired: readFlag(row.critical_updates_for_expired),
    },
    policy: row.policy_id === null ? null : toPolicy(row, row.policy_id),
    activation: row.activation_id === null ? null : toActivation(row, row.activation_id),
    used: Number(row.used),
  };
}

function toPolicy(row: Row, id: string): PolicyFacts {
  return {
    id,
    entitlements: readJsonOrNull<Features>(row.entitlements),
    gracePeriodSeconds: row.policy_grace ?? 0,
    maxVersion: row.policy_version,
    maxUses: row.policy_uses,
    heartbeatInterval: row.heartbeat_interval,
    defaultLeaseDuration: row.default_lease_duration,
    maxDeactivations: row.max_deactivations,
    deactivationWindowDays: row.deactivation_window_days,
    offlineMaxTtlSeconds: row.offline_max_ttl_seconds,
    trialReuse: row.trial_reuse ?? 'FLAG',
  };
}

/** The join gives either all of an activation's columns or none. */
function toActivation(row: Row, id: string): NonNullable<Standing['activation']> {
  return {
    id,
    kind: row.kind as ActivationKind,
    machineName: row.machine_name,
    activatedAt: row.activated_at as string,
    lastSeenAt: row.last_seen_at as string,
    leaseExpiresAt: row.lease_expires_at,
  };
}
