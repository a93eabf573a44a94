import type { Ctx } from '#kernel/context.ts';
import { counterSeen } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { listAll, listLinks, type PicturedCategory } from './queries.ts';

export type { PicturedCategory } from './queries.ts';

/** The categories as the pages of the shop need them. */
interface Tree {
  readonly version: number;
  /** Each above those that are under it, in their order. */
  readonly all: readonly PicturedCategory[];
  readonly products: ReadonlyMap<string, readonly string[]>;
  /** By product: its category that is furthest from the top. */
  readonly nearest: ReadonlyMap<string, PicturedCategory>;
}

const held = memoryKey('categories of the shop', () => ({
  tree: { version: -1, all: [], products: new Map(), nearest: new Map() } as Tree,
}));

/** As the database has it: it is read anew when the counter of the catalogue is another one. */
async function treeOf(ctx: Ctx): Promise<Tree> {
  const kept = ctx.memory.of(held);
  const version = await counterSeen(ctx, CATALOG_COUNTER);
  if (kept.tree.version === version) return kept.tree;
  const [all, links] = [await listAll(ctx), await listLinks(ctx)];
  const products = new Map<string, string[]>();
  for (const { categoryId, productId } of links) {
    const some = products.get(categoryId);
    if (some) some.push(productId);
    else products.set(categoryId, [productId]);
  }
  const tree = { version, all, products, nearest: nearestOf(all, products) };
  if (version > kept.tree.version) kept.tree = tree;
  return tree;
}

function nearestOf(all: Tree['all'], products: Tree['products']): Tree['nearest'] {
  const nearest = new Map<string, PicturedCategory>();
  // Ids have one length: a longer path is further from the top.
  for (const category of all)
    for (const id of products.get(category.id) ?? [])
      if (category.path.length > (nearest.get(id)?.path.length ?? 0)) nearest.set(id, category);
  return nearest;
}

const aboveOf = (all: Tree['all'], { path }: PicturedCategory): PicturedCategory[] =>
  all
    .filter((one) => one.path !== path && path.startsWith(one.path))
    .sort((one, other) => one.path.length - other.path.length);

/** The way to a product from the top down, through its category that is furthest from it; empty where it has none. */
export async function categoriesAbove(ctx: Ctx, productId: string): Promise<readonly PicturedCategory[]> {
  const { all, nearest } = await treeOf(ctx);
  const category = nearest.get(productId);
  return category ? [...aboveOf(all, category), category] : [];
}

/** Categories directly under one, or at the top, in their order. @param parentId null: the top */
export const childrenOf = async (ctx: Ctx, parentId: string | null): Promise<PicturedCategory[]> =>
  (await treeOf(ctx)).all.filter((one) => one.parentId === parentId);

/** Every category, each after the one that it is under. */
export const listShown = async (ctx: Ctx): Promise<readonly PicturedCategory[]> => (await treeOf(ctx)).all;

/** A category as its page shows it. */
export interface ShownCategory {
  readonly category: PicturedCategory;
  /** What it is under, from the top down. */
  readonly breadcrumbs: readonly PicturedCategory[];
  readonly children: readonly PicturedCategory[];
  /** Of it and of all that is under it. */
  readonly productIds: ReadonlySet<string>;
}

/** @returns null for an unknown slug */
export async function shownCategory(ctx: Ctx, slug: string): Promise<ShownCategory | null> {
  const { all, products } = await treeOf(ctx);
  const category = all.find((one) => one.slug === slug);
  if (!category) return null;
  const within = all.filter(({ path }) => path.startsWith(category.path));
  return {
    category,
    breadcrumbs: aboveOf(all, category),
    children: all.filter(({ parentId }) => parentId === category.id),
    productIds: new Set(within.flatMap(({ id }) => products.get(id) ?? [])),
  };
}
