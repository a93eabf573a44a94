import type { Term, Wanted } from '#kernel/db/full-text.ts';
import { folded, pairsOf, partsOf, stemOf, wordsIn } from './words.ts';

/** Of what somebody looks for; the rest is not looked at. */
export const MOST_CHARACTERS = 200;
export const MOST_WORDS = 10;

/** What a text is found by. */
export function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  for (const chunk of folded(text).split(/\s+/)) {
    const words = wordsIn(chunk);
    for (const word of words) addWord(terms, word);
    // `T-shirt` is looked for as `tshirt`, too.
    if (words.length > 1 && words.length < 4) addWord(terms, wordsIn(words.join(''))[0] ?? '');
  }
  return terms;
}

function addWord(terms: Set<string>, word: string): void {
  const { words, runs } = partsOf(word);
  for (const one of words) terms.add(stemOf(one));
  for (const run of runs) {
    for (const pair of pairsOf(run)) terms.add(pair);
    // A single character is looked for as the start of a pair.
    terms.add([...run].at(-1) ?? '');
  }
  terms.delete('');
}

/** A text as one term, by which it alone is found: a SKU, a whole title. */
export const wholeTerm = (text: string): string => wordsIn(wordsIn(folded(text)).join(''))[0] ?? '';

/** A word that somebody looks for. */
export interface Word {
  readonly text: string;
  /** Each of these must be there. */
  readonly wanted: Wanted;
}

/** What somebody looks for, word by word; the last one may go on. */
export function lookedFor(q: string): Word[] {
  const words = [...new Set(wordsIn(folded(q.slice(0, MOST_CHARACTERS))))].slice(0, MOST_WORDS);
  return words.map((text, at) => ({ text, wanted: wantedBy(text, at === words.length - 1) }));
}

/** @param isStart whether the word may go on */
export function wantedBy(word: string, isStart: boolean): Term[][] {
  const { words, runs } = partsOf(word);
  const spoken = words.map((one): Term[] => {
    const stem = { text: stemOf(one), isStart: false };
    return isStart ? [{ text: one, isStart }, ...(stem.text === one ? [] : [stem])] : [stem];
  });
  const run = runs.flatMap((one): Term[][] => {
    const pairs = pairsOf(one);
    return pairs.length === 0
      ? [[{ text: one, isStart: true }]]
      : pairs.map((text) => [{ text, isStart: false }]);
  });
  return [...spoken, ...run];
}
