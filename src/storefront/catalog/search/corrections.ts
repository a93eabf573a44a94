import type { Ctx } from '#kernel/context.ts';
import type { ProductList } from './list.ts';
import { isFound } from './queries.ts';
import { hitsOf } from './ranks.ts';
import { isShown, shelfOf } from './shelf.ts';
import { meantBy } from './spelling.ts';
import { MOST_CHARACTERS, MOST_WORDS, wantedBy } from './terms.ts';
import { folded, wordsIn } from './words.ts';

/** Whoever finds fewer may have misspelled. */
const FEW = 3;
const MOST_CORRECTIONS = 3;

/**
 * What somebody may have meant who found little: with the words that no product has in place of which others are written
 * almost alike. Each finds more than what was looked for.
 *
 * @param found what was found
 */
export async function correctionsOf(
  ctx: Ctx,
  q: string,
  found: Pick<ProductList, 'total' | 'fit'>,
): Promise<string[]> {
  const strict = found.fit === 'words' ? found.total : 0;
  if (strict >= FEW) return [];
  const texts = await corrected(ctx, wordsIn(q.slice(0, MOST_CHARACTERS)).slice(0, MOST_WORDS));
  const shelf = await shelfOf(ctx);
  const better: string[] = [];
  for (const text of texts) {
    const { products, fit } = await hitsOf(ctx, shelf, text);
    const shown = products.filter((one) => isShown(one, ctx.now()));
    if (fit === 'words' && shown.length > strict) better.push(text);
  }
  return better;
}

/** The likeliest spelling of every word that is not found; of the first of them also the next ones. */
async function corrected(ctx: Ctx, written: readonly string[]): Promise<string[]> {
  const words = [...written];
  let first: { at: number; spellings: string[] } | null = null;
  for (const [at, spelled] of written.entries()) {
    const word = folded(spelled);
    if (await isFound(ctx, wantedBy(word, at === written.length - 1))) continue;
    const spellings = (await meantBy(ctx, word)).map(({ spelling }) => spelling);
    if (spellings[0] === undefined) continue;
    words[at] = spellings[0];
    first ??= { at, spellings };
  }
  if (!first) return [];
  const { at, spellings } = first;
  return spellings.slice(0, MOST_CORRECTIONS).map((spelling) => words.with(at, spelling).join(' '));
}
