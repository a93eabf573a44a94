import type { GrantState } from './state.ts';

/** What can be chosen of a license, with words that say what each does. */
export const choices = {
  type: [
    { value: 'PERPETUAL', label: 'Perpetual: bought once, works for good' },
    { value: 'SUBSCRIPTION', label: 'Subscription: works for so many days' },
    { value: 'TRIAL', label: 'Trial: for trying out, for so many days' },
    { value: 'BETA', label: 'Beta: for testers' },
    { value: 'FLOATING', label: 'Floating: seats that machines share' },
  ],
  tier: [
    { value: 'PERSONAL', label: 'Personal' },
    { value: 'PROFESSIONAL', label: 'Professional' },
    { value: 'BUSINESS', label: 'Business' },
    { value: 'ENTERPRISE', label: 'Enterprise' },
  ],
  quantityMode: [
    { value: 'one_per_unit', label: 'One key for each: three units are three keys' },
    { value: 'seats', label: 'Seats of one key: three units are one key for three times the machines' },
  ],
  onRefund: [
    { value: '', label: 'As the license settings say' },
    { value: 'revoke', label: 'Revoke: it stops working for good' },
    { value: 'suspend', label: 'Suspend: it stops working until you bring it back' },
    { value: 'keep', label: 'Keep: it goes on working' },
  ],
  onSubscriptionEnd: [
    { value: 'expire', label: 'It works until its end date' },
    { value: 'suspend', label: 'It is suspended at once' },
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
