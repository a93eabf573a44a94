import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import type { Menus } from '#storefront/catalog/navigation/index.ts';
import type { Product } from '#storefront/catalog/products/index.ts';
import { countMovements } from './queries.ts';
import type { SampleKind } from './record.ts';
import * as repo from './repository.ts';

type MenuLink = Pick<NonNullable<Menus['header']>[number], 'label' | 'type' | 'target'>;

/** Notes that the sample data made something, and in which state it left it. */
export const noting = (ctx: Ctx, kind: SampleKind, id: string, slug: string, mark: string): Promise<void> =>
  repo.putItem(ctx, { id, kind, slug, mark, createdAt: ctx.now() });

/** `7/12`: the version of a product, and how often its stock has changed, which is no new version. */
export const productMark = async (ctx: Ctx, { id, version }: Pick<Product, 'id' | 'version'>) =>
  `${version}/${await countMovements(ctx, id)}`;

/** What became of a product since it was left: nothing is null. A mark of an earlier version says no stock. */
export async function changeOfProduct(
  ctx: Ctx,
  product: Pick<Product, 'id' | 'version'>,
  mark: string,
): Promise<'product' | 'stock' | null> {
  const [version, movements] = mark.split('/');
  if (String(product.version) !== version) return 'product';
  if (movements === undefined) return null;
  return String(await countMovements(ctx, product.id)) === movements ? null : 'stock';
}

/** Under which a menu is noted: it has no id, and the table wants one of 30 characters. */
export const menuId = (key: keyof Menus): string => `menu_${key}`.padEnd(30, '_');

/** Of the items of a menu, which are longer than a mark. Postgres gives the fields of an object in an order of its own. */
export const menuMark = (items: Menus[keyof Menus]): string =>
  sha256Hex(JSON.stringify(items?.map(({ items, ...link }) => [...fieldsOf(link), items.map(fieldsOf)])));

const fieldsOf = ({ label, type, target }: MenuLink): string[] => [label, type, target];
