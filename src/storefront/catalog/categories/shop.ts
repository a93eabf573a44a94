import type { Ctx } from '#kernel/context.ts';
import { readCounter } from '#kernel/db/counters.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { CATALOG_COUNTER } from '../products/index.ts';
import { listAll, listLinks } from './queries.ts';
import type { Category } from './record.ts';

/** The categories as the pages of the shop need them. */
interface Tree {
  readonly version: number;
  /** Each above those that are under it, in their order. */
  readonly all: readonly Category[];
  readonly products: ReadonlyMap<string, readonly string[]>;
}

const held = memoryKey('categories of the shop', () => ({
  tree: { version: -1, all: [], products: new Map() } as Tree,
}));

/** As the database has it: it is read anew when the counter of the catalogue is another one. */
async function treeOf(ctx: Ctx): Promise<Tree> {
  const kept = ctx.memory.of(held);
  const version = (await readCounter(ctx, CATALOG_COUNTER)) ?? 0;
  if (kept.tree.version === version) return kept.tree;
  const [all, links] = [await listAll(ctx), await listLinks(ctx)];
  const products = new Map<string, string[]>();
  for (const { categoryId, productId } of links) {
    const some = products.get(categoryId);
    if (some) some.push(productId);
    else products.set(categoryId, [productId]);
  }
  const tree = { version, all, products };
  if (version > kept.tree.version) kept.tree = tree;
  return tree;
}

/** Categories directly under one, or at the top, in their order. @param parentId null: the top */
export const childrenOf = async (ctx: Ctx, parentId: string | null): Promise<Category[]> =>
  (await treeOf(ctx)).all.filter((one) => one.parentId === parentId);

/** Every category, each after the one that it is under. */
export const listShown = async (ctx: Ctx): Promise<readonly Category[]> => (await treeOf(ctx)).all;

/** A category as its page shows it. */
export interface ShownCategory {
  readonly category: Category;
  /** What it is under, from the top down. */
  readonly breadcrumbs: readonly Category[];
  readonly children: readonly Category[];
  /** Of it and of all that is under it. */
  readonly productIds: ReadonlySet<string>;
}

/** @returns null for an unknown slug */
export async function shownCategory(ctx: Ctx, slug: string): Promise<ShownCategory | null> {
  const { all, products } = await treeOf(ctx);
  const category = all.find((one) => one.slug === slug);
  if (!category) return null;
  const within = all.filter(({ path }) => path.startsWith(category.path));
  const above = all.filter(({ path }) => path !== category.path && category.path.startsWith(path));
  return {
    category,
    breadcrumbs: above.sort((one, other) => one.path.length - other.path.length),
    children: all.filter(({ parentId }) => parentId === category.id),
    productIds: new Set(within.flatMap(({ id }) => products.get(id) ?? [])),
  };
}
