import { z } from 'zod';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { refuseForm } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { REFUND_EFFECTS } from '#storefront/contract/license-settings.ts';
import { END_EFFECTS, type LicenseGrant, QUANTITY_MODES } from './record.ts';
import type { GrantInputType } from './schemas.ts';

const typed = (max: number) => optional(text({ max, trim: true }));

/** The license of a variant as it is typed; empty fields say nothing. */
export const GrantForm = later(() =>
  z.object({
    product: typed(40),
    policy: typed(40),
    type: optional(oneOf(LICENSE_TYPES)),
    tier: optional(oneOf(LICENSE_TIERS)),
    days: typed(20),
    machines: typed(20),
    uses: typed(20),
    version: typed(50),
    features: typed(40_000),
    quantityMode: optional(oneOf(QUANTITY_MODES)),
    /** Empty: as the setting says. */
    onRefund: optional(oneOf(['', ...REFUND_EFFECTS])),
    onSubscriptionEnd: optional(oneOf(END_EFFECTS)),
  }),
);
type Sent = z.output<typeof GrantForm>;

const refuse = (field: string, said: string) => refuseForm('The license was not saved', { [field]: said });

/** @throws a refusal of the form; null for an empty field */
function numberIn(field: string, sent: string | undefined): number | null {
  if (!sent) return null;
  if (/^\d{1,15}$/.test(sent)) return Number(sent);
  throw refuse(field, 'Enter a whole number');
}

/** @throws a refusal of the form for what is not a JSON object */
function featuresIn(sent: string | undefined): GrantInputType['features'] {
  if (!sent) return null;
  try {
    const read: unknown = JSON.parse(sent);
    if (typeof read === 'object' && read !== null && !Array.isArray(read))
      return read as GrantInputType['features'];
  } catch {
    // Said below.
  }
  throw refuse('features', 'Enter a JSON object, such as {"export": true}');
}

/** What was typed, as the use case takes it. @throws a refusal of the form */
export function inputIn(form: Sent): GrantInputType {
  if (!form.product) throw refuse('product', 'Choose the license product');
  return {
    licenseProductId: form.product,
    policyId: form.policy || null,
    type: form.type ?? 'PERPETUAL',
    tier: form.tier ?? 'PERSONAL',
    durationDays: numberIn('days', form.days),
    maxActivations: numberIn('machines', form.machines),
    maxUses: numberIn('uses', form.uses),
    maxVersion: form.version || null,
    features: featuresIn(form.features),
    quantityMode: form.quantityMode,
    onRefund: form.onRefund || undefined,
    onSubscriptionEnd: form.onSubscriptionEnd,
  };
}

/** What the form of a grant holds before somebody changes it. */
export const valuesOf = (grant: LicenseGrant): Record<string, unknown> => ({
  product: grant.licenseProductId,
  policy: grant.policyId ?? '',
  type: grant.type,
  tier: grant.tier,
  days: grant.durationDays ?? '',
  machines: grant.maxActivations ?? '',
  uses: grant.maxUses ?? '',
  version: grant.maxVersion ?? '',
  features: grant.features === null ? '' : JSON.stringify(grant.features, null, 2),
  quantityMode: grant.quantityMode,
  onRefund: grant.onRefund,
  onSubscriptionEnd: grant.onSubscriptionEnd,
});
