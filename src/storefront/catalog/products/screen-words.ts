import { moneyWords } from '#kernel/money-words.ts';

/** An amount as people read it: the smallest unit of its currency is what is stored. */
export const amount = (cents: number | null, currency: string | null): string | null => {
  if (cents === null || currency === null) return null;
  return moneyWords({ amountCents: cents, currency }, 'en');
};

/** `Color: Red, Size: M`. */
export const namedValues = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');

/** `5 or more: $4.00`. */
export const tierWords = (
  tiers: readonly { readonly minQuantity: number; readonly unitCents: number }[],
  currency: string,
): string =>
  tiers
    .map(({ minQuantity, unitCents }) => `${minQuantity} or more: ${amount(unitCents, currency)}`)
    .join(', ');

/** `12 can be sold: 15 in stock, 3 reserved`. */
export const stockWords = (level: {
  readonly trackInventory: boolean;
  readonly available: number;
  readonly onHand: number;
  readonly reserved: number;
}): string =>
  level.trackInventory
    ? `${level.available} can be sold: ${level.onHand} in stock, ${level.reserved} reserved`
    : 'Not tracked';

/** `$4.00 to $9.00`. */
export const priceRange = (product: {
  readonly priceCents: number | null;
  readonly priceMaxCents: number | null;
  readonly currency: string | null;
}): string | null => {
  const from = amount(product.priceCents, product.currency);
  const to = amount(product.priceMaxCents, product.currency);
  return from === to ? from : `${from} to ${to}`;
};
