import type { Ctx } from '#kernel/context.ts';
import { decimalOf } from '#kernel/money-words.ts';
import type { Written } from '#platform/admin/index.ts';
import { amountIn } from './amount.ts';
import { currencyCode } from './settings.ts';

/** A field of the panel's forms in the currency of the shop, of which the JSON has the smallest unit. */
export function asAmount({ settings }: Ctx): Written {
  const currency = settings.get(currencyCode);
  return {
    unit: currency,
    text: (value) => decimalOf({ amountCents: Number(value), currency }),
    read: (text) => amountIn(text, currency),
  };
}
