/** Texts by their keys, such as `nav.home`; those that count have a plural form at the end: `list.count_one`. */
export type Texts = ReadonlyMap<string, string>;

export const MOST_CHARACTERS = 1000;

const PLURAL = /_(zero|one|two|few|many|other)$/;
/** Forms that may say their number in words: "one product". */
const IN_WORDS = /_(zero|one|two)$/;

const PLACE = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Names of what a text leaves open. */
const placesOf = (text: string): Set<string> =>
  new Set([...text.matchAll(PLACE)].map(([, name = '']) => name));

/** A catalogue file as keys and texts; groups are objects. @returns the key of what is no text, where there is one */
export function flatten(tree: unknown, before = ''): { texts: Map<string, string>; fault: string | null } {
  const texts = new Map<string, string>();
  if (typeof tree !== 'object' || tree === null || Array.isArray(tree)) return { texts, fault: before };
  for (const [name, value] of Object.entries(tree)) {
    const key = before === '' ? name : `${before}.${name}`;
    if (typeof value === 'string') texts.set(key, value);
    else {
      const inner = flatten(value, key);
      if (inner.fault !== null) return inner;
      for (const [at, text] of inner.texts) texts.set(at, text);
    }
  }
  return { texts, fault: null };
}

/**
 * Every text that a language can say, with what it says when nobody gives it another one: its own, else that of the
 * fallback. A text that counts is there once for each plural form of the language.
 */
export function defaultsOf(code: string, own: Texts, fallback: Texts): Map<string, string> {
  const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
  const found = new Map<string, string>();
  for (const [key, text] of fallback) {
    const base = PLURAL.test(key) ? key.replace(PLURAL, '') : null;
    for (const one of base === null ? [key] : forms.map((form) => `${base}_${form}`))
      found.set(one, own.get(one) ?? own.get(`${base}_other`) ?? fallback.get(one) ?? text);
  }
  return found;
}

/**
 * What is wrong with a text in place of another one.
 *
 * @param instead what it replaces; undefined for a key that there is not
 * @returns null when nothing is
 */
export function textFault(key: string, text: string, instead: string | undefined): string | null {
  if (instead === undefined) return 'is not a text of the shop';
  if (text.trim() === '') return 'must not be empty';
  if (text.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  if (text.includes('$t(')) return 'must not contain $t(';
  const [wanted, given] = [placesOf(instead), placesOf(text)];
  const unknown = [...given].find((name) => !wanted.has(name));
  if (unknown !== undefined)
    return wanted.size === 0
      ? `has no value for {{${unknown}}}; leave it out`
      : `has no value for {{${unknown}}}; it can use ${[...wanted].map((name) => `{{${name}}}`).join(', ')}`;
  const missing = [...wanted].find((name) => !given.has(name) && !(name === 'count' && IN_WORDS.test(key)));
  return missing === undefined ? null : `must contain {{${missing}}}`;
}
