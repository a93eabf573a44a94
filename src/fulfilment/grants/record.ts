import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { ids as shopIds } from '#storefront/contract/ids.ts';
import { REFUND_EFFECTS } from '#storefront/contract/license-settings.ts';

export const MOST_DAYS = 36_500;
/** What three units of a variant are: three licenses, or one license with three times the seats. */
export const QUANTITY_MODES = ['one_per_unit', 'seats'] as const;
export const END_EFFECTS = ['expire', 'suspend'] as const;

/** The license that a variant is sold with (fulfilment section 2). */
export const licenseGrantRecord = record(
  'license_grants',
  {
    variantId: column.id(shopIds.variant).references('product_variants'),
    /** Whoever deletes it in the license service makes the grant one that cannot be fulfilled. */
    licenseProductId: column.text(30, 1),
    policyId: column.text(30, 1).nullable(),
    type: column.choice(LICENSE_TYPES),
    tier: column.choice(LICENSE_TIERS),
    /** null: without an end; ignored where it is bought on a plan. */
    durationDays: column.integer(1, MOST_DAYS).nullable(),
    /** Of one unit; null: the default of the license product. */
    maxActivations: column.integer(bounds.maxActivations.min, bounds.maxActivations.max).nullable(),
    maxUses: column.integer(0).nullable(),
    maxVersion: column.text(64, 1).nullable(),
    features: column
      .json<Readonly<Record<string, unknown>>>(() => z.record(z.string(), z.unknown()))
      .nullable(),
    quantityMode: column.choice(QUANTITY_MODES),
    onRefund: column.choice(REFUND_EFFECTS),
    onSubscriptionEnd: column.choice(END_EFFECTS),
    updatedAt: column.time(),
    createdAt: column.time(),
  },
  { key: ['variantId'] },
);
export type LicenseGrant = ValuesOf<typeof licenseGrantRecord>;
