import type { Ctx } from '#kernel/context.ts';
import type { Term } from '#kernel/db/full-text.ts';
import { editDistance } from '#kernel/edit-distance.ts';
import { type KnownWord, listSimilarWords } from './queries.ts';
import { gramsOf } from './repository.ts';
import { partsOf, stemOf } from './words.ts';

const MOST_CONTAINING = 20;
/** Shorter ones are part of everything. */
const LEAST_PART = 4;
const LEAST_MISSPELLED = 3;
const MOST_LETTERS = 30;

/** Slips of somebody who types: in a short word one leads to too much else. */
const slipsIn = (word: string): number => (word.length < 6 ? 1 : 2);

/** Words that hold another one as a part, as German puts them together; the most frequent first. */
export async function containing(ctx: Ctx, part: string): Promise<Term[]> {
  const grams = gramsOf(part).filter((gram) => !/[$^]/.test(gram));
  if (part.length < LEAST_PART || grams.length === 0) return [];
  const longer = [part.length + 1, MOST_LETTERS] as const;
  const words = await listSimilarWords(ctx, grams, longer);
  return words
    .filter(({ word }) => word.includes(part))
    .slice(0, MOST_CONTAINING)
    .map(({ word }) => ({ text: stemOf(word), isStart: false }));
}

/** Words that somebody may have meant, the likeliest first; the order is the same on every database. */
export async function meantBy(ctx: Ctx, word: string): Promise<KnownWord[]> {
  const letters = [...word].length;
  if (letters < LEAST_MISSPELLED || letters > MOST_LETTERS) return [];
  if (!/^[\p{L}\p{M}]+$/u.test(word) || partsOf(word).runs.length > 0) return [];
  const slips = slipsIn(word);
  const near = [letters - slips, letters + slips] as const;
  const words = await listSimilarWords(ctx, gramsOf(word), near);
  return words
    .map((known) => ({ known, distance: editDistance(word, known.word) }))
    .filter(({ distance }) => distance > 0 && distance <= slips)
    .sort(
      (one, other) =>
        one.distance - other.distance ||
        other.known.uses - one.known.uses ||
        (one.known.word < other.known.word ? -1 : 1),
    )
    .map(({ known }) => known);
}
