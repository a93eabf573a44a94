import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type * as products from '#licensing/catalog/products/index.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { REFUND_EFFECTS } from '#storefront/contract/license-settings.ts';
import { END_EFFECTS, QUANTITY_MODES } from './record.ts';
import type { GrantState } from './state.ts';

const maybe = () => z.string().nullable();

/** The license that a variant is sold with, as staff see it. */
export const LicenseGrantView = later(() =>
  z
    .object({
      variant_id: z.string(),
      license_product_id: z.string(),
      license_product: z
        .object({ name: z.string(), slug: z.string(), status: z.string() })
        .nullable()
        .describe('null when it was deleted'),
      policy_id: maybe(),
      policy: maybe().describe('Name of the policy; null without one, and when it was deleted'),
      type: z.enum(LICENSE_TYPES),
      tier: z.enum(LICENSE_TIERS),
      duration_days: count().nullable().describe('null: never expires'),
      max_activations: count().nullable().describe('For one unit; null: same as the license product'),
      max_uses: count().nullable(),
      max_version: maybe(),
      features: z.record(z.string(), z.unknown()).nullable(),
      quantity_mode: z.enum(QUANTITY_MODES),
      on_refund: z.enum(REFUND_EFFECTS),
      on_subscription_end: z.enum(END_EFFECTS),
      problem: maybe().describe('Why its licenses cannot be created, or should no longer be sold'),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'LicenseGrant' }),
);
export type LicenseGrantShown = z.output<typeof LicenseGrantView>;

export const licenseGrantView = ({ grant, product, policy, problem }: GrantState): LicenseGrantShown => ({
  variant_id: grant.variantId,
  license_product_id: grant.licenseProductId,
  license_product: product && { name: product.name, slug: product.slug, status: product.status },
  policy_id: grant.policyId,
  policy: policy?.name ?? null,
  type: grant.type,
  tier: grant.tier,
  duration_days: grant.durationDays,
  max_activations: grant.maxActivations,
  max_uses: grant.maxUses,
  max_version: grant.maxVersion,
  features: grant.features === null ? null : { ...grant.features },
  quantity_mode: grant.quantityMode,
  on_refund: grant.onRefund,
  on_subscription_end: grant.onSubscriptionEnd,
  problem,
  created_at: grant.createdAt,
  updated_at: grant.updatedAt,
});

/** What a variant can be sold with: a license product and the policies to choose from. */
export const PickableView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      slug: z.string(),
      status: z.string(),
      default_type: z.enum(LICENSE_TYPES),
      default_max_activations: count(),
      policies: z
        .array(z.object({ id: z.string(), name: z.string() }))
        .describe('That of the product first, then the others by name'),
    })
    .meta({ id: 'StoreLicenseProduct' }),
);

export const pickableView = (one: products.PickableProduct): z.output<typeof PickableView> => ({
  id: one.id,
  name: one.name,
  slug: one.slug,
  status: one.status,
  default_type: one.defaultType,
  default_max_activations: one.defaultMaxActivations,
  policies: one.policies.map(({ id, name }) => ({ id, name })),
});
