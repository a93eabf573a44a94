import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { LICENSE_STATUSES, LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';

/** An activation as staff see it. */
export const ActivationView = z
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
    metadata: z.record(z.string(), z.json()).nullable(),
  })
  .meta({ id: 'LicenseMachine' });
export type ActivationView = z.output<typeof ActivationView>;

/** One entry of a timeline (licensing 4.3, Event). */
export const TimelineEventView = z
  .object({
    id: z.string(),
    type: z.string(),
    at: instant(),
    actor: z.object({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() }),
    requestId: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    diff: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])).nullable(),
  })
  .meta({ id: 'TimelineEvent' });
export type TimelineEvent = z.output<typeof TimelineEventView>;

export const FeaturesView = z.record(z.string(), z.json()).nullable();

/** A license as the terminal and staff see it; `key` only when it is asked for. */
export const LicenseView = z
  .object({
    id: z.string(),
    key: z.string().optional(),
    keyPrefix: z.string(),
    keyMasked: z.string(),
    productId: z.string(),
    product: z.string(),
    productSlug: z.string(),
    productName: z.string(),
    type: z.enum(LICENSE_TYPES),
    tier: z.enum(LICENSE_TIERS),
    status: z.enum(LICENSE_STATUSES),
    maxActivations: z.int(),
    activationsUsed: z.int(),
    validUntil: instant().nullable(),
    graceExpiresAt: instant().optional(),
    maxVersion: z.string().nullable(),
    maxUses: z.int().nullable(),
    currentUses: z.int(),
    features: FeaturesView,
    policyId: z.string().nullable(),
    customer: z.object({ id: z.string(), email: z.string(), name: z.string().nullable() }),
    orderId: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    notes: z.string().optional(),
    createdAt: instant(),
    updatedAt: instant(),
    /** When it was put into the trash. */
    deletedAt: instant().optional(),
    activations: z.array(ActivationView).optional(),
  })
  .meta({ id: 'StaffLicense' });
