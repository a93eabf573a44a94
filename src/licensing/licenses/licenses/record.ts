import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import {
  KEY_KINDS,
  LICENSE_SOURCES,
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
} from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { tenantColumn } from '#platform/tenants/index.ts';

/**
 * Licenses, those in the trash and honeypots among them (licensing section 8.3). Requests read them through statements
 * of their own, which join what a decision needs.
 */
export const licenseRecord = record('licenses', {
  id: column.id(ids.license),
  tenantId: tenantColumn(),
  productId: column.id(ids.product).references('license_products'),
  /** null only for a honeypot. */
  customerId: column.id(ids.customer).nullable().references('license_customers'),
  policyId: column.id(ids.policy).nullable().references('license_policies'),
  type: column.choice(LICENSE_TYPES),
  tier: column.choice(LICENSE_TIERS),
  status: column.choice(LICENSE_STATUSES),
  maxActivations: column.integer(bounds.maxActivations.min, bounds.maxActivations.max),
  validUntil: column.time().nullable(),
  gracePeriodSeconds: column.integer(0, bounds.gracePeriodSeconds.max).nullable(),
  features: column.object(bounds.features).nullable(),
  maxVersion: column.text(50).nullable(),
  maxUses: column.integer(0).nullable(),
  /** The counter comes to another installation by a row of its own. */
  currentUses: column.integer(0).local(),
  /** What was counted before the records of the current epoch. */
  usageBase: column.integer(0).local(),
  usageEpoch: column.integer(0).local(),
  orderId: column.text(bounds.orderId).nullable(),
  metadata: column.object(bounds.metadata),
  notes: column.text(bounds.notes).nullable(),
  source: column.choice(LICENSE_SOURCES),
  suspendedReason: column.text(50).nullable(),
  suspendedAt: column.time().nullable(),
  revokedReason: column.text(bounds.reason).nullable(),
  revokedAt: column.time().nullable(),
  /** The end for which LICENSE_EXPIRED was told: once per date (D34). */
  expiredEventFor: column.time().nullable(),
  honeypot: column.flag().local(),
  honeypotLabel: column.text(255).nullable().local(),
  blockIpSeconds: column.integer(0, 86_400).nullable().local(),
  deletedAt: column.time().nullable(),
  /** Some machine had an activation that is still kept; without it nobody has looked yet (decision 0060). */
  knownActivated: column.flag().local(),
  createdAt: column.time(),
  updatedAt: column.time(),
});

/** License keys, those that were replaced too. */
export const licenseKeyRecord = record(
  'license_keys',
  {
    id: column.id(ids.licenseKey),
    licenseId: column.id(ids.license).references('licenses'),
    /** What a key is looked up by. */
    digest: column.text(255, 1).secret(),
    keyEnc: column.text(4000, 1).secret(),
    prefix: column.text(100),
    /** Whether the key is spelled as it is looked up. */
    isCanonical: column.flag(),
    kind: column.choice(KEY_KINDS),
    overlapUntil: column.time().nullable(),
    thenHoneypot: column.flag(),
    replacedAt: column.time().nullable(),
    createdAt: column.time(),
  },
  { kept: 'as long as their license' },
);
