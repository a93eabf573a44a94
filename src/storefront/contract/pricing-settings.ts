import { z } from 'zod';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

export const taxRoundAt = setting<'line' | 'total'>({
  key: 'tax_round_at',
  group: 'tax',
  description:
    'Where tax is rounded: line rounds each line of an order, total rounds the sum of all lines with the same rates',
  schema: z.enum(['line', 'total']),
  default: 'line',
});

export const taxBasedOn = setting<'shipping' | 'billing' | 'store'>({
  key: 'tax_based_on',
  group: 'tax',
  description:
    'Whose address decides the tax: shipping, billing or store. An order without that address uses the next one',
  schema: z.enum(['shipping', 'billing', 'store']),
  default: 'shipping',
});

export const storeState = setting<string | null>({
  key: 'store_state',
  group: 'tax',
  description:
    'State of the shop, for tax that is due where the shop is; its country is default_country. A code such as CA',
  schema: maybe(10),
  default: null,
});

export const storePostalCode = setting<string | null>({
  key: 'store_postal_code',
  group: 'tax',
  description: 'Postal code of the shop, for tax that is due where the shop is',
  schema: maybe(20),
  default: null,
});

/** Settings of tax beside `prices_include_tax`. */
export const taxSettings = [taxRoundAt, taxBasedOn, storeState, storePostalCode] as readonly Setting[];

export const giftCardExpiryDays = setting({
  key: 'gift_card_expiry_days',
  group: 'gift-cards',
  description: 'Days for which new gift cards are valid; 0 for cards that never expire',
  schema: z.int('must be a whole number').min(0).max(36_500),
  default: 0,
});

export const giftCardMinCents = setting({
  key: 'gift_card_min_cents',
  group: 'gift-cards',
  description: 'Smallest amount of a gift card that shoppers can buy, in the smallest unit of the currency',
  schema: z.int('must be a whole number').min(1).max(MAX_AMOUNT_CENTS),
  default: 500,
});

export const giftCardMaxCents = setting({
  key: 'gift_card_max_cents',
  group: 'gift-cards',
  description: 'Largest amount of a gift card that shoppers can buy, in the smallest unit of the currency',
  schema: z.int('must be a whole number').min(1).max(MAX_AMOUNT_CENTS),
  default: 50_000,
});

/** Settings of gift cards (storefront-domain 13). */
export const giftCardSettings = [
  giftCardExpiryDays,
  giftCardMinCents,
  giftCardMaxCents,
] as readonly Setting[];
