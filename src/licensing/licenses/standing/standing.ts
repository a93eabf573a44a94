import { readFlag, readJsonOrNull } from '#kernel/db/columns.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type {
  ActivationKind,
  KeyKind,
  LicenseStatus,
  LicenseTier,
  LicenseType,
  LicensingMode,
  ProductStatus,
  TrialReuseRule,
} from '#licensing/contract/enumerations.ts';
import type {
  ActivationFacts,
  Features,
  LicenseFacts,
  PolicyFacts,
  ProductFacts,
} from '../decision/index.ts';

/** Everything that a decision about one license and one machine looks at, read by one statement. */
export interface Standing {
  license: LicenseFacts & { tenantId: string; customerId: string | null };
  /** The key that the license was named by, sealed; opened only where the specification returns it. */
  sealedKey: string;
  /** The key itself, when the caller's canonical spelling is the stored one: nothing needs to be opened then. */
  spelling: string | null;
  /** Of the key that the license has now, also when it was named by a replaced one (D130). */
  keyPrefix: string;
  product: ProductFacts & { name: string; slug: string };
  policy: PolicyFacts | null;
  /** `metadata`: what its checkout attached. */
  activation:
    | (ActivationFacts & { machineName: string | null; activatedAt: string; metadata: JsonObject | null })
    | null;
  /** Live activations. */
  used: number;
}

/** A row of the query that reads a standing. */
export interface StandingRow {
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
  key_kind: KeyKind;
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
  activation_metadata: string | null;
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
  'k.kind as key_kind',
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
  'a.metadata as activation_metadata',
];

/** What that query selects beside the number of live activations. */
export const standingColumns: readonly string[] = [
  ...licenseColumns,
  ...productColumns,
  ...policyColumns,
  ...activationColumns,
];

/** @param spelling the caller's spelling where it is the stored one */
export function toStanding(row: StandingRow, spelling: string | null): Standing {
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

function toPolicy(row: StandingRow, id: string): PolicyFacts {
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
function toActivation(row: StandingRow, id: string): NonNullable<Standing['activation']> {
  return {
    id,
    kind: row.kind as ActivationKind,
    machineName: row.machine_name,
    activatedAt: row.activated_at as string,
    lastSeenAt: row.last_seen_at as string,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.activation_metadata),
  };
}
