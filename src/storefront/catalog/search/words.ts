/** A text as a search compares it: without case and accents. */
export const folded = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim();

/** Longer ones are cut: nobody types them. */
const MOST_CHARACTERS = 200;
const MOST_WORDS = 10;

/** The words of what somebody looks for, as a search compares them. */
export const wordsOf = (text: string): string[] =>
  folded(text.slice(0, MOST_CHARACTERS))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .slice(0, MOST_WORDS);
