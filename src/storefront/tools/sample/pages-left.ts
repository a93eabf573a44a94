import type { Ctx } from '#kernel/context.ts';
import { listShown } from '#storefront/catalog/content/index.ts';
import { listItems } from './repository.ts';

/** Ids of the pages that the sample data made and nobody has changed since. */
export async function unchangedPages(ctx: Ctx): Promise<ReadonlySet<string>> {
  const marks = new Map((await listItems(ctx, 'page')).map(({ id, mark }) => [id, mark]));
  const shown = marks.size === 0 ? [] : await listShown(ctx);
  return new Set(shown.flatMap(({ id, updatedAt }) => (marks.get(id) === updatedAt ? [id] : [])));
}
