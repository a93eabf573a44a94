import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import {
  ABUSE_RULES,
  LICENSE_SOURCES,
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
} from '#licensing/contract/enumerations.ts';

export type { LicenseCreatedReply } from '#licensing/contract/replies.ts';

/** An activation as staff see it. */
export const ActivationView = later(() =>
  z
    .object({
      id: z.string(),
      licenseId: z.string(),
      kind: z.enum(['NODE', 'LEASE']),
      machineId: z.string(),
      machineName: z.string().nullable(),
      osName: z.string().nullable(),
      osVersion: z.string().nullable(),
      appVersion: z.string().nullable(),
      activatedAt: instant(),
      lastSeenAt: instant(),
      leaseExpiresAt: instant().nullable(),
      metadata: z.record(z.string(), z.unknown()).nullable(),
    })
    .meta({ id: 'LicenseMachine' }),
);
export type ActivationView = z.output<typeof ActivationView>;

/** One entry of a timeline (licensing 4.3, Event). */
export const TimelineEventView = later(() =>
  z
    .object({
      id: z.string(),
      type: z.string(),
      at: instant(),
      actor: z.object({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
      requestId: z.string().nullable(),
      data: z.record(z.string(), z.unknown()),
      diff: z.record(z.string(), z.array(z.unknown())).nullable(),
    })
    .meta({ id: 'TimelineEvent' }),
);
export const TimelinePage = z
  .object({ items: z.array(TimelineEventView), pagination: Pagination })
  .meta({ id: 'TimelinePage' });
export type TimelineEvent = z.output<typeof TimelineEventView>;

export const FeaturesView = z.record(z.string(), z.unknown()).nullable();

const shape = {
  id: z.string(),
  keyPrefix: z.string(),
  keyMasked: z.string(),
  tenantId: z.string(),
  productId: z.string(),
  product: z.string(),
  productSlug: z.string(),
  productName: z.string(),
  type: z.enum(LICENSE_TYPES),
  tier: z.enum(LICENSE_TIERS),
  status: z.enum(LICENSE_STATUSES),
  /** As it is stored: a date that has passed is not looked at. */
  storedStatus: z.enum(LICENSE_STATUSES),
  suspendedReason: z.string().nullable(),
  maxActivations: z.int(),
  activationsUsed: z.int(),
  validUntil: instant().nullable(),
  gracePeriodSeconds: z.int().nullable(),
  graceExpiresAt: instant().optional(),
  maxVersion: z.string().nullable(),
  maxUses: z.int().nullable(),
  /** The policy's where the license has no limit of its own. */
  effectiveMaxUses: z.int().nullable(),
  currentUses: z.int(),
  features: FeaturesView,
  /** With those of its policy. */
  effectiveFeatures: FeaturesView,
  policyId: z.string().nullable(),
  /** The product's where the license names none. */
  effectivePolicyId: z.string().nullable(),
  customer: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
  customerId: z.string(),
  customerEmail: z.string(),
  customerName: z.string().nullable(),
  orderId: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()),
  notes: z.string().optional(),
  source: z.enum(LICENSE_SOURCES),
  createdAt: instant(),
  updatedAt: instant(),
  /** When it was put into the trash. */
  deletedAt: instant().optional(),
};

/** A license as the terminal shows it; `key` only when it is asked for. */
export const LicenseView = later(() =>
  z
    .object({ ...shape, key: z.string().optional(), activations: z.array(ActivationView).optional() })
    .meta({ id: 'StaffLicense' }),
);

/** A license as staff see it (licensing 4.3, AdminLicense). */
export const AdminLicenseView = later(() =>
  z
    .object({
      ...shape,
      /** What made it cannot make another one. */
      idempotencyKey: z.string().nullable(),
      openFlags: z.array(z.object({ id: z.string(), rule: z.enum(ABUSE_RULES) })),
    })
    .meta({ id: 'AdminLicense' }),
);
export type AdminLicenseView = z.output<typeof AdminLicenseView>;

/** A whole key that was asked for. */
export const LicenseKeyView = later(() =>
  z.object({ id: z.string(), key: z.string() }).meta({ id: 'LicenseKey' }),
);
export const LicenseKeysView = z.object({ keys: z.array(LicenseKeyView) }).meta({ id: 'LicenseKeys' });
