/** Between brackets of a list or object: strings, words, and what holds them together. */
const OPENING_QUOTE = /\\*["']/y;
const WORD = /[^\s,:[\]{}"'\\]+/y;
const KEY_FOLLOWS = /\s*:/y;
/** The quote that ends the sentence in which the name stands. */
const END_OF_SENTENCE = /\\*["']\s*(?:[,}\]:]|$)/y;
/** A line that begins anew: the one before was cut off. */
const NEXT_LINE = /\n(?=[A-Za-z0-9{])/y;

/** What says where a value came from, and is none. */
const OF_SOURCES = ['source', 'name'];

const matched = (pattern: RegExp, text: string, at: number): string | null => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
};

/**
 * Takes the values out of a list or object, which keeps its form.
 *
 * @param from where its bracket is in the text
 * @param quote of its strings; empty where it is not known
 * @returns what stands in place of it, and where the rest of the text begins
 */
export function withoutValues(
  text: string,
  from: number,
  quote: string,
  by: string,
): { made: string; end: number } {
  let [made, at, depth, key] = ['', from, 0, ''];
  const put = (part: string, replacement: string): void => {
    const isKey = matched(KEY_FOLLOWS, text, at + part.length) !== null;
    const value = OF_SOURCES.includes(key) ? part : replacement;
    made += isKey ? part : value;
    key = isKey ? part.replace(/[\\"']/g, '') : '';
    at += part.length;
  };
  while (at < text.length && matched(NEXT_LINE, text, at) === null) {
    const opening = matched(OPENING_QUOTE, text, at);
    if (opening !== null) {
      if (isEnd(text, at, opening, quote)) break;
      const part = stringAt(text, at, opening);
      const isWhole = part !== opening && part.endsWith(opening);
      put(part, part === opening + opening ? part : opening + by + (isWhole ? opening : ''));
      continue;
    }
    const word = matched(WORD, text, at);
    if (word !== null) {
      put(word, /^(?:null|true|false|undefined)$/.test(word) ? word : quote + by + quote);
      continue;
    }
    const char = text[at] ?? '';
    made += char;
    at += 1;
    if ('[{'.includes(char)) depth += 1;
    if (']}'.includes(char)) depth -= 1;
    if (depth === 0) break;
  }
  return { made, end: at };
}

/** Fewer backslashes than the name's own quote has, or an end of what is no list at all. */
const isEnd = (text: string, at: number, opening: string, quote: string): boolean =>
  quote === '' ? matched(END_OF_SENTENCE, text, at) !== null : opening.length < quote.length;

function stringAt(text: string, at: number, opening: string): string {
  const inside = opening.length === 1 ? `(?:\\\\.|[^\\\\\\n${opening}])*` : '.*?(?<!\\\\)';
  const ending = opening.replaceAll('\\', '\\\\');
  const whole = matched(new RegExp(`${ending}${inside}(?:${ending}|$)`, 'my'), text, at);
  return whole ?? opening;
}
