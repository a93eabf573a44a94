/** Signs above and below letters that readers of the script leave out: Latin and Greek, Hebrew, Arabic. */
const SIGNS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;
/** Letters that are written in another way, too, without being made of a letter and a sign. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
  ى: 'ي',
  ة: 'ه',
};
const OTHER_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
const KATAKANA = /[\u30a1-\u30f6]/g;
/** From a letter of katakana to the same one of hiragana. */
const TO_HIRAGANA = 0x60;

const ASCII = /^\p{ASCII}*$/u;

/** A text as a search compares it: without case and accents, and in one of the ways in which it may be written. */
export const folded = (text: string): string =>
  (ASCII.test(text) ? text.toLowerCase() : foldedLetters(text)).trim();

const foldedLetters = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(SIGNS, '')
    .toLowerCase()
    .replace(OTHER_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
    .replace(KATAKANA, (letter) => String.fromCharCode(letter.charCodeAt(0) - TO_HIRAGANA));

/** What stands between words. */
const BETWEEN = /[^\p{L}\p{N}\p{M}]+/u;
/** Longer ones are cut: nobody types them. */
const MOST_LETTERS = 60;

/** The words of a text as they are written. */
export const wordsIn = (text: string): string[] =>
  text
    .split(BETWEEN)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, MOST_LETTERS));

/** Scripts that put no blank between words, or none where another word begins. */
const RUN =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]+/gu;

/** A word without its runs of such scripts, and those. */
export function partsOf(word: string): { readonly words: string[]; readonly runs: string[] } {
  const runs = word.match(RUN);
  if (!runs) return { words: [word], runs: [] };
  return { words: word.replace(RUN, ' ').split(' ').filter(Boolean), runs };
}

/** Two neighbouring characters each. */
export function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/**
 * A folded word without the ending of its plural in English, which French and Spanish share, and without the article of
 * Arabic: what is left need not be a word, as long as both are left alike.
 */
export function stemOf(word: string): string {
  if (word.length > 4 && word.startsWith('ال')) return word.slice(2);
  if (word.length < 4 || !/^[a-z]+s$/.test(word) || /(?:us|ss|is)$/.test(word)) return word;
  if (/[^ae]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /(?:sh|ch|x|ss|z)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}
