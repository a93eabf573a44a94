/**
 * What some units of a line are worth when they go back: all parts together are the whole, to the minor unit
 * (storefront-promotions 12). The tax within it is the same of the line's tax.
 *
 * @param totalCents of the line
 * @param quantity of the line, at least 1
 * @param before units that went back already
 * @param units that go back now; `before + units` is at most `quantity`
 */
export function refundPart(totalCents: number, quantity: number, before: number, units: number): number {
  const upTo = (count: number) => (BigInt(totalCents) * BigInt(count)) / BigInt(quantity);
  return Number(upTo(before + units) - upTo(before));
}
