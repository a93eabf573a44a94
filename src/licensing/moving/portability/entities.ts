import { normalEmail } from '#licensing/catalog/customers/index.ts';
import {
  ABUSE_ACTIONS,
  ACTIVATION_KINDS,
  CULL_STRATEGIES,
  KEY_ALPHABETS,
  KEY_CHECKSUMS,
  LICENSE_SOURCES,
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
  LICENSING_MODES,
  PRODUCT_STATUSES,
  PRODUCT_TYPES,
  TRIAL_REUSE_RULES,
} from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { MOST_HOSTNAMES, TENANT_STATUSES, tenantIds } from '#platform/tenants/index.ts';
import { addedLater, type Entity, type Field, fields, type Kind } from './entity.ts';
import { releaseEntity } from './release-entity.ts';

const tenantId = fields.id('tenant_id', tenantIds.tenant);
const times = { createdAt: fields.time('created_at'), updatedAt: fields.time('updated_at') };
/** What the CHECK of the columns allows. */
const DURATION_DAYS = 36_600;

const tenant: Entity = {
  kind: 'tenant',
  table: 'license_tenants',
  fields: {
    id: fields.id('id', tenantIds.tenant),
    slug: fields.text('slug', 63, 1),
    name: fields.text('name', 255, 1),
    hostnames: fields.texts('hostnames', 253, MOST_HOSTNAMES),
    status: fields.choice('status', TENANT_STATUSES),
    // No reference: key formats come later in the file, and the column has no foreign key.
    defaultKeyFormatId: fields.idOrNull('default_key_format_id', ids.keyFormat),
    ...times,
  },
  references: {},
  natural: ['slug'],
};

const product: Entity = {
  kind: 'product',
  table: 'license_products',
  fields: {
    id: fields.id('id', ids.product),
    tenantId,
    name: fields.text('name', 255, 1),
    slug: fields.text('slug', 63, 1),
    type: fields.choice('type', PRODUCT_TYPES),
    status: fields.choice('status', PRODUCT_STATUSES),
    licensingMode: fields.choice('licensing_mode', LICENSING_MODES),
    defaultLicenseType: fields.choice('default_license_type', LICENSE_TYPES),
    defaultMaxActivations: fields.integer('default_max_activations', 1, 1000),
    defaultDurationDays: fields.integerOrNull('default_duration_days', 1, DURATION_DAYS),
    policyId: fields.idOrNull('policy_id', ids.policy),
    keyFormatId: fields.idOrNull('key_format_id', ids.keyFormat),
    prereleaseNeedsBeta: fields.flag('prerelease_needs_beta'),
    criticalUpdatesForExpired: fields.flag('critical_updates_for_expired'),
    statementRequired: fields.flag('statement_required'),
    metadata: fields.object('metadata', bounds.metadata),
    ...times,
  },
  references: { policyId: 'policy', keyFormatId: 'key_format' },
  natural: ['tenant_id', 'slug'],
};

/** Root keys only: an online key is of no use without its private part, and every server makes its own (6.1). */
const signingKey: Entity = {
  kind: 'signing_key',
  table: 'license_signing_keys',
  fields: {
    id: fields.id('id', ids.signingKey),
    tenantId,
    productId: fields.id('product_id', ids.product),
    role: fields.choice('role', ['ROOT']),
    keyId: fields.text('key_id', 16, 16),
    publicKey: fields.text('public_key', 44, 44),
    status: fields.choice('status', ['ACTIVE', 'NEXT', 'RETIRED']),
    label: fields.textOrNull('label', 100),
    activateAt: addedLater(fields.timeOrNull('activate_at')),
    continuity: addedLater(fields.textOrNull('continuity', 4000)),
    minisignId: addedLater(fields.textOrNull('minisign_id', 16)),
    retiredAt: fields.timeOrNull('retired_at'),
    ...times,
  },
  references: { productId: 'product' },
  natural: ['product_id', 'key_id'],
};

const keyFormat: Entity = {
  kind: 'key_format',
  table: 'license_key_formats',
  fields: {
    id: fields.id('id', ids.keyFormat),
    tenantId,
    name: fields.text('name', 100, 1),
    prefix: fields.text('prefix', 10, 2),
    segments: fields.integer('segments', 4, 20),
    segmentLength: fields.integer('segment_length', 4, 4),
    alphabet: fields.choice('alphabet', KEY_ALPHABETS),
    checksum: fields.choice('checksum', KEY_CHECKSUMS),
    ...times,
  },
  references: {},
  natural: ['tenant_id', 'name'],
};

const policy: Entity = {
  kind: 'policy',
  table: 'license_policies',
  fields: {
    id: fields.id('id', ids.policy),
    tenantId,
    name: fields.text('name', 100, 1),
    heartbeatInterval: fields.integerOrNull('heartbeat_interval', 1, 43_200),
    heartbeatCullStrategy: fields.choice('heartbeat_cull_strategy', CULL_STRATEGIES),
    defaultLeaseDuration: fields.integerOrNull(
      'default_lease_duration',
      bounds.leaseSeconds.min,
      bounds.leaseSeconds.max,
    ),
    entitlements: fields.objectOrNull('entitlements', bounds.features),
    gracePeriodSeconds: fields.integer('grace_period_seconds', 0, bounds.gracePeriodSeconds.max),
    defaultDurationDays: fields.integerOrNull('default_duration_days', 1, DURATION_DAYS),
    maxUses: fields.integerOrNull('max_uses', 0),
    maxVersion: fields.textOrNull('max_version', 50),
    maxDeactivations: fields.integerOrNull('max_deactivations', 0, 2_147_483_647),
    deactivationWindowDays: fields.integerOrNull('deactivation_window_days', 1, 2_147_483_647),
    offlineMaxTtlSeconds: fields.integerOrNull('offline_max_ttl_seconds', 0, bounds.offlineTtlSeconds.max),
    trialReuse: fields.choice('trial_reuse', TRIAL_REUSE_RULES),
    abuseAction: fields.choice('abuse_action', ABUSE_ACTIONS),
    ...times,
  },
  references: {},
  natural: ['tenant_id', 'name'],
  contradiction: ({ maxDeactivations, deactivationWindowDays }) =>
    (maxDeactivations === null) === (deactivationWindowDays === null)
      ? null
      : 'maxDeactivations and deactivationWindowDays belong together',
};

const customer: Entity = {
  kind: 'customer',
  table: 'license_customers',
  fields: {
    id: fields.id('id', ids.customer),
    tenantId,
    email: fields.text('email', bounds.customerEmail, 3),
    name: fields.textOrNull('name', bounds.customerName),
    metadata: fields.object('metadata', bounds.metadata),
    anonymizedAt: fields.timeOrNull('anonymized_at'),
    ...times,
  },
  references: {},
  natural: ['tenant_id', 'email_norm'],
  derived: { email_norm: ({ email }) => normalEmail(email as string) },
};

const licenseFields: Record<string, Field> = {
  id: fields.id('id', ids.license),
  tenantId,
  productId: fields.id('product_id', ids.product),
  customerId: fields.id('customer_id', ids.customer),
  policyId: fields.idOrNull('policy_id', ids.policy),
  type: fields.choice('type', LICENSE_TYPES),
  tier: fields.choice('tier', LICENSE_TIERS),
  status: fields.choice('status', LICENSE_STATUSES),
  maxActivations: fields.integer('max_activations', bounds.maxActivations.min, bounds.maxActivations.max),
  validUntil: fields.timeOrNull('valid_until'),
  gracePeriodSeconds: fields.integerOrNull('grace_period_seconds', 0, bounds.gracePeriodSeconds.max),
  features: fields.objectOrNull('features', bounds.features),
  maxVersion: fields.textOrNull('max_version', 50),
  maxUses: fields.integerOrNull('max_uses', 0),
  orderId: fields.textOrNull('order_id', bounds.orderId),
  metadata: fields.object('metadata', bounds.metadata),
  notes: fields.textOrNull('notes', bounds.notes),
  source: fields.choice('source', LICENSE_SOURCES),
  suspendedReason: fields.textOrNull('suspended_reason', 50),
  suspendedAt: fields.timeOrNull('suspended_at'),
  revokedReason: fields.textOrNull('revoked_reason', bounds.reason),
  revokedAt: fields.timeOrNull('revoked_at'),
  expiredEventFor: fields.timeOrNull('expired_event_for'),
  deletedAt: fields.timeOrNull('deleted_at'),
  ...times,
};

/** Those in the trash too; without honeypots, which are no licenses. */
const license: Entity = {
  kind: 'license',
  table: 'licenses',
  fields: licenseFields,
  references: { productId: 'product', customerId: 'customer', policyId: 'policy' },
  natural: [],
  // The counter comes by its own row.
  derived: { current_uses: () => 0, honeypot: () => false },
};

/** Live ones: `activationKind` is what the table calls kind. */
const activation: Entity = {
  kind: 'activation',
  table: 'license_activations',
  fields: {
    id: fields.id('id', ids.activation),
    tenantId,
    licenseId: fields.id('license_id', ids.license),
    activationKind: fields.choice('kind', ACTIVATION_KINDS),
    machineId: fields.text('machine_id', bounds.machineId.max, bounds.machineId.min),
    machineName: fields.textOrNull('machine_name', bounds.machineName),
    osName: fields.textOrNull('os_name', bounds.osName),
    osVersion: fields.textOrNull('os_version', bounds.osVersion),
    appVersion: fields.textOrNull('app_version', bounds.appVersion),
    metadata: fields.objectOrNull('metadata', bounds.metadata),
    activatedAt: fields.time('activated_at'),
    lastSeenAt: fields.time('last_seen_at'),
    leaseExpiresAt: fields.timeOrNull('lease_expires_at'),
    lapseNotifiedAt: fields.timeOrNull('lapse_notified_at'),
  },
  references: { licenseId: 'license' },
  natural: [],
  derived: { created_at: ({ activatedAt }) => activatedAt as string },
  contradiction: ({ activationKind, leaseExpiresAt }) =>
    (activationKind === 'LEASE') === (leaseExpiresAt !== null) ? null : 'leaseExpiresAt belongs to a LEASE',
};

/** The counter of a license that has been used; its records stay behind. */
const usageTotal: Entity = {
  kind: 'usage_total',
  table: 'licenses',
  fields: {
    licenseId: fields.id('id', ids.license),
    tenantId,
    currentUses: fields.integer('current_uses', 0),
  },
  references: { licenseId: 'license' },
  natural: [],
};

/** What the native format carries, by kind. */
export const entities: Readonly<Record<Kind, Entity>> = {
  tenant,
  product,
  signing_key: signingKey,
  key_format: keyFormat,
  policy,
  customer,
  license,
  activation,
  usage_total: usageTotal,
  release: releaseEntity,
};
