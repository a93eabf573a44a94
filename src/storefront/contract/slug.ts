const MOST = 63;
/** Letters that are no letter with a mark. */
const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * The slug that a title makes: `Café Crème № 2` is `cafe-creme-no-2`. Empty for a title without any letter or digit that
 * a slug may hold.
 */
export function slugOf(title: string): string {
  const folded = title
    .toLowerCase()
    .replaceAll(/[ßæœøđðłþı]/g, (letter) => letters[letter] ?? '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/['’]/g, '')
    .toLowerCase();
  return cut(folded.replaceAll(/[^a-z0-9]+/g, '-'), MOST);
}

/** Longest ending that a taken slug gets: `-99999`. */
const ENDING = 6;

/**
 * The first of `mug`, `mug-2`, `mug-3` that is free.
 *
 * @param slugsFrom the taken slugs that begin with a text
 */
export async function freeSlug(
  base: string,
  slugsFrom: (start: string) => Promise<ReadonlySet<string>>,
): Promise<string> {
  // A long one is cut before its ending: the slugs that it competes with begin with less than all of it.
  const taken = await slugsFrom(cut(base, MOST - ENDING));
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `-${number}`;
    const slug = cut(base, MOST - ending.length) + ending;
    if (!taken.has(slug)) return slug;
  }
}

const cut = (text: string, most: number): string => text.replace(/^-+/, '').slice(0, most).replace(/-+$/, '');
