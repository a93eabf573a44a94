import { z } from 'zod';
import { integer, oneOf, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { maxVersionField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { REFUND_EFFECTS } from '#storefront/contract/license-settings.ts';
import { END_EFFECTS, MOST_DAYS, QUANTITY_MODES } from './record.ts';

const maybe = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

/** The license that a variant is to be sold with; what is left out, or null, has no limit or is the default. */
export const GrantInput = later(() =>
  z.object({
    /** Id or slug. */
    licenseProductId: text({ min: 1, max: bounds.productId }),
    /** Id or name. */
    policyId: maybe(text({ min: 1, max: 100 })),
    type: oneOf(LICENSE_TYPES),
    tier: oneOf(LICENSE_TIERS),
    durationDays: maybe(integer(1, MOST_DAYS)),
    maxActivations: maybe(integer(bounds.maxActivations.min, bounds.maxActivations.max)),
    maxUses: maybe(integer(0)),
    maxVersion: maybe(maxVersionField()),
    features: maybe(jsonObject(bounds.features)),
    quantityMode: optional(oneOf(QUANTITY_MODES)),
    onRefund: optional(oneOf(REFUND_EFFECTS)),
    onSubscriptionEnd: optional(oneOf(END_EFFECTS)),
  }),
);
export type GrantInputType = z.output<typeof GrantInput>;
