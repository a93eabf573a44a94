import type { StoreCategory } from '#storefront/catalog/categories/view.ts';
import type { Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import type { Answer } from './twin.ts';

/** A category with what is under it. */
export interface CategoryNode extends StoreCategory {
  readonly children: readonly CategoryNode[];
}

/** All categories of a tree, each before what is under it. */
export const flatCategories = (nodes: readonly CategoryNode[]): readonly CategoryNode[] =>
  nodes.flatMap((one) => [one, ...flatCategories(one.children)]);

/** Id of the category that `--category` names by its slug, its path or its id. @throws NOT_FOUND (3) */
export async function categoryAsked(cli: Cli, desk: Desk): Promise<string | undefined> {
  const named = cli.option('category');
  if (named === undefined) return undefined;
  const { data } = await desk.get<Answer<CategoryNode[]>>('categories');
  const path = `/${named.replaceAll(/^\/|\/$/g, '')}/`;
  const found = flatCategories(data).find(
    (one) => one.id === named || one.slug === named || one.path === path,
  );
  if (!found) throw notFoundError(`category ${named} does not exist`);
  return found.id;
}
