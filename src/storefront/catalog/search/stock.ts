import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { countsOf, type ProductStock, shownStock } from '../inventory/index.ts';
import type { ProductCard, ShopProduct } from '../products/view.ts';

/** A card with what is in stock of its product, or what shows more of one. */
export function withStock<C extends ProductCard>(card: C, { state }: ProductStock): C {
  if (state === 'in') return card;
  const badges = state === 'low' ? [...card.badges, 'low_stock' as const] : card.badges;
  return { ...card, in_stock: state !== 'out', badges };
}

/** A product as it is kept. */
interface Kept {
  readonly product: ShopProduct;
  readonly etag: string;
}

/** The same with what can be bought of it at this moment. */
export type Stocked<S extends Kept> = S & {
  /** Ids of the variants that are low. */
  readonly low: ReadonlySet<string>;
};

const NONE: ReadonlySet<string> = new Set();

/** A product with what can be bought of it at this moment. What is not counted costs no question. */
export async function stockedProduct<S extends Kept>(ctx: Ctx, shown: S): Promise<Stocked<S>> {
  const stock = (await shownStock(ctx)).of(shown.product.id);
  if (stock.states.size === 0) return { ...shown, low: NONE };
  const counts = await countsOf(ctx, shown.product.id);
  const variants = shown.product.variants.map((variant): ShopProduct['variants'][number] => {
    const count = counts.get(variant.id);
    if (!count) return variant;
    const { available, allowBackorder: backorder } = count;
    return { ...variant, available, in_stock: available > 0 || backorder, backorder };
  });
  const told = variants.map(({ available, backorder }) => `${available} ${backorder}`);
  return {
    ...shown,
    product: { ...withStock(shown.product, stock), variants },
    etag: `${shown.etag.slice(0, -1)}-${sha256Hex([stock.state, ...told].join('\n')).slice(0, 12)}"`,
    low: lowOf(stock),
  };
}

const lowOf = ({ states }: ProductStock): ReadonlySet<string> =>
  new Set([...states].flatMap(([id, state]) => (state === 'low' ? [id] : [])));

/** What a page says of how many are left of a product: another text when it would say something else. */
export async function leftOf(ctx: Ctx, productId: string): Promise<string> {
  const low = lowOf((await shownStock(ctx)).of(productId));
  if (low.size === 0) return '';
  const counts = await countsOf(ctx, productId);
  return [...low].map((id) => counts.get(id)?.available ?? 0).join(' ');
}
