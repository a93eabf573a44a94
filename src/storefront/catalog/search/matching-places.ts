import type { Ctx } from '#kernel/context.ts';
import { type Category, listShown } from '../categories/index.ts';
import * as content from '../content/index.ts';
import { lookedFor, termsOf } from './terms.ts';

/** Whether a name has all words that somebody looks for; words without a letter fit nothing. */
function fitting(q: string): (name: string) => boolean {
  const wanted = lookedFor(q).flatMap((word) => word.wanted);
  return (name) => {
    const terms = [...termsOf(name)];
    const isThere = wanted.every((alternatives) =>
      alternatives.some(({ text, isStart }) =>
        terms.some((term) => (isStart ? term.startsWith(text) : term === text)),
      ),
    );
    return wanted.length > 0 && isThere;
  };
}

/** Categories whose name has all words that somebody looks for, in the order of the tree. */
export async function categoriesFor(ctx: Ctx, q: string, limit: number): Promise<Category[]> {
  const fits = fitting(q);
  return (await listShown(ctx)).filter(({ name }) => fits(name)).slice(0, limit);
}

/** Published pages whose title has all words, by their titles. */
export async function pagesFor(ctx: Ctx, q: string): Promise<content.ListedPage[]> {
  const fits = fitting(q);
  return (await content.listShown(ctx)).filter(({ title }) => fits(title));
}
