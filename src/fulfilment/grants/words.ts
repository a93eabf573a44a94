import type { GrantState } from './state.ts';

/** What can be chosen of a license, with words that say what each does. */
export const choices = {
  type: [
    { value: 'PERPETUAL', label: 'Perpetual: bought once, never expires' },
    { value: 'SUBSCRIPTION', label: 'Subscription: works for a number of days' },
    { value: 'TRIAL', label: 'Trial: works for a number of trial days' },
    { value: 'BETA', label: 'Beta: for testers' },
    { value: 'FLOATING', label: 'Floating: machines share seats' },
  ],
  tier: [
    { value: 'PERSONAL', label: 'Personal' },
    { value: 'PROFESSIONAL', label: 'Professional' },
    { value: 'BUSINESS', label: 'Business' },
    { value: 'ENTERPRISE', label: 'Enterprise' },
  ],
  quantityMode: [
    { value: 'one_per_unit', label: 'One key per unit: three units are three keys' },
    { value: 'seats', label: 'One key for all units: three units are one key with three times the machines' },
  ],
  onRefund: [
    { value: '', label: 'Use the license settings' },
    { value: 'revoke', label: 'Revoke: it stops working permanently' },
    { value: 'suspend', label: 'Suspend: it stops working until you reinstate it' },
    { value: 'keep', label: 'Keep: it continues to work' },
  ],
  onSubscriptionEnd: [
    { value: 'expire', label: 'It works until its end date' },
    { value: 'suspend', label: 'It is suspended immediately' },
  ],
} as const;

/** The license of a variant in a line: `Editor · Perpetual · Personal · 2 machines`. */
export function wordsOf({ grant, product, policy }: GrantState): string {
  const { type, tier, durationDays, maxActivations, quantityMode, maxVersion } = grant;
  const machines = maxActivations ?? product?.defaultMaxActivations ?? 1;
  const what = quantityMode === 'seats' || type === 'FLOATING' ? 'seat' : 'machine';
  return [
    product?.name ?? grant.licenseProductId,
    capital(type),
    capital(tier),
    durationDays === null ? null : `${durationDays} ${durationDays === 1 ? 'day' : 'days'}`,
    `${machines} ${what}${machines === 1 ? '' : 's'} each`,
    maxVersion === null ? null : `up to version ${maxVersion}`,
    policy?.name ?? null,
  ]
    .filter((part) => part !== null)
    .join(' · ');
}

const capital = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();
