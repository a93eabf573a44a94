import type { ShopProduct } from '#storefront/catalog/products/view.ts';
import type { ShopWords } from './words.ts';

type Variant = ShopProduct['variants'][number];

/** Name of the field of an option in the address of a product: `option.Color`. */
export const OPTION = 'option.';

/** The variant with the chosen values. */
export const variantOf = ({ variants }: ShopProduct, chosen: Readonly<Record<string, string | undefined>>) =>
  variants.find(({ option_values: own }) =>
    Object.entries(chosen).every(([name, value]) => own[name] === value),
  );

/** As schema.org calls it. */
export const availabilityOf = (isInStock: boolean, available: number | null): string =>
  isInStock ? (available === 0 ? 'BackOrder' : 'InStock') : 'OutOfStock';

/** What a shopper reads of the stock of a variant. */
export function stockOf(
  { id, in_stock, available }: Variant,
  low: ReadonlySet<string>,
  { t }: ShopWords,
): string {
  if (!in_stock) return t('stock.out');
  if (available === 0) return t('stock.backorder');
  return available !== null && low.has(id) ? t('stock.left', { count: available }) : t('stock.in');
}

/** What a choice leads to that cannot be bought; null where it can. */
function noteOf(
  product: ShopProduct,
  chosen: Readonly<Record<string, string | undefined>>,
  { t }: ShopWords,
): string | null {
  const variant = variantOf(product, chosen);
  if (!variant) return t('stock.none_such');
  return variant.in_stock ? null : t('stock.out');
}

/** What can be chosen, with what cannot be bought marked. */
export const optionsShown = (
  product: ShopProduct,
  chosen: Readonly<Record<string, string | undefined>>,
  words: ShopWords,
) =>
  product.options.map(({ name, values }) => ({
    name,
    field: OPTION + name,
    values: values.map(({ value, swatch_hex: swatch, image }) => ({
      value,
      swatch,
      picture: image?.thumbnail ?? null,
      isChosen: chosen[name] === value,
      note: noteOf(product, { ...chosen, [name]: value }, words),
    })),
  }));

/** The slug of the address of a product. */
export function slugIn(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.split('/').at(-1) ?? '';
}
