/** Objects of the public API that several capabilities answer with. */

import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES, LICENSE_TIERS, LICENSE_TYPES } from './enumerations.ts';

/** Entitlements by name, merged (D26); null when there are none. */
export const FeaturesReply = z.record(z.string(), z.unknown()).nullable();

/** License as activate and validate return it. `product` is the product's name (D23). */
export const LicensePublic = later(() =>
  z
    .object({
      key: z.string(),
      product: z.string(),
      tier: z.enum(LICENSE_TIERS),
      type: z.enum(LICENSE_TYPES),
      validUntil: instant().nullable(),
      activationsUsed: count(),
      maxActivations: count(),
      features: FeaturesReply,
    })
    .meta({ id: 'License' }),
);
export type LicensePublicReply = z.output<typeof LicensePublic>;

/** License as create, revoke, renew and by-order return it. `product` repeats productId (D23). */
export const LicenseCreated = later(() =>
  z
    .object({
      id: z.string(),
      key: z.string(),
      productId: z.string(),
      product: z.string(),
      type: z.enum(LICENSE_TYPES),
      tier: z.enum(LICENSE_TIERS),
      status: z.enum(LICENSE_STATUSES),
      maxActivations: count(),
      validUntil: instant().nullable(),
      createdAt: instant(),
    })
    .meta({ id: 'LicenseSummary' }),
);
export type LicenseCreatedReply = z.output<typeof LicenseCreated>;

/** What a checkout attached to the seat; absent when it attached nothing (D51). */
export const SeatMetadata = z.record(z.string(), z.unknown()).optional();

/** An activation as the public API shows it; `id` and `leaseExpiresAt` only on a lease (D59). */
export const Activation = later(() =>
  z
    .object({
      machineId: z.string(),
      /** null when it was not sent (D28). */
      machineName: z.string().nullable(),
      activatedAt: instant(),
      id: z.string().optional(),
      leaseExpiresAt: instant().optional(),
      metadata: SeatMetadata,
    })
    .meta({ id: 'Activation' }),
);
export type ActivationReply = z.output<typeof Activation>;

/** Usage as record-usage prints it; without a limit only `current` and `max: null` (D80). */
export const UsageReply = later(() =>
  z
    .object({
      current: count(),
      max: count().nullable(),
      remaining: count().optional(),
      percentUsed: z.number().optional(),
    })
    .meta({ id: 'Usage' }),
);
