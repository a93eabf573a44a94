import type { CartPrice } from './price.ts';
import type { Line } from './queries.ts';
import type { Seen } from './record.ts';

/** What differs from what the shopper saw last (storefront-domain 7.2). */
export interface CartChange {
  /** null: it is not about one line. */
  readonly itemId: string | null;
  readonly kind: 'price' | 'stock' | 'removed' | 'promotion';
  /** The goods or the promotion, by name. */
  readonly title: string;
  /** Minor units of a price or a discount; units of stock. */
  readonly before: number;
  readonly after: number;
}

/** How a line is called. */
export const lineTitle = ({
  productTitle,
  variantTitle,
}: Pick<Line, 'productTitle' | 'variantTitle'>): string =>
  variantTitle === 'Default' ? productTitle : `${productTitle} (${variantTitle})`;

/** Units that each line can have, where stock is short: several lines of one variant share what there is. */
export function quantitiesLeft(lines: readonly Line[]): Map<string, number> {
  const left = new Map<string, number>();
  const found = new Map<string, number>();
  for (const { variantId, available, itemId, quantity } of lines) {
    if (available === null) continue;
    const rest = left.get(variantId) ?? available;
    const own = Math.min(quantity, rest);
    left.set(variantId, rest - own);
    if (own < quantity) found.set(itemId, own);
  }
  return found;
}

/** What a shopper who looks at this cart has seen. */
export const seenOf = ({ lines, price }: Pick<CartPrice, 'lines' | 'price'>): Seen => ({
  units: Object.fromEntries(lines.map(({ line, unitCents }) => [line.itemId, unitCents])),
  promotions: Object.fromEntries(
    price.applied
      .filter(({ amountCents }) => amountCents > 0)
      .map(({ promotion: { id, name }, amountCents }) => [id, { name, cents: amountCents }]),
  ),
});

/** What has changed since the shopper looked last, and what is short now. */
export function changesOf({ cart: { seen }, lines, gone, price }: CartPrice): CartChange[] {
  const short = quantitiesLeft(lines.map(({ line }) => line));
  const applied = new Set(
    price.applied.filter(({ amountCents }) => amountCents > 0).map(({ promotion }) => promotion.id),
  );
  return [
    ...gone.map((line) => about(line, 'removed', line.quantity, 0)),
    ...lines.flatMap(({ line, unitCents }) => {
      const before = seen.units[line.itemId];
      const left = short.get(line.itemId);
      return [
        ...(before !== undefined && before !== unitCents ? [about(line, 'price', before, unitCents)] : []),
        ...(left === undefined ? [] : [about(line, 'stock', line.quantity, left)]),
      ];
    }),
    ...Object.entries(seen.promotions).flatMap(([id, { name, cents }]): CartChange[] =>
      applied.has(id) ? [] : [{ itemId: null, kind: 'promotion', title: name, before: cents, after: 0 }],
    ),
  ];
}

const about = (line: Line, kind: CartChange['kind'], before: number, after: number): CartChange => ({
  itemId: line.itemId,
  kind,
  title: lineTitle(line),
  before,
  after,
});
