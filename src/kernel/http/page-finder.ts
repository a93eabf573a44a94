import type { Page } from './page.ts';

/** A page and what its address names in place of its parameters. */
export interface FoundPage {
  readonly page: Page;
  readonly params: Readonly<Record<string, string>>;
}

interface Known {
  readonly page: Page;
  readonly words: readonly string[];
}

const NAME = /^\{(\w+)\}$/;

/**
 * Finds the pages of a path, in their order. The router of express keeps a compiled expression for each path, and those
 * of hundreds of pages hold megabytes; the words of a path tell as much. As there, capital letters and a slash at the end
 * make another address.
 */
export function pageFinder(pages: readonly Page[]): (path: string) => readonly FoundPage[] {
  const byLength = new Map<number, Known[]>();
  for (const page of pages) {
    const words = wordsOf(page.path);
    byLength.set(words.length, [...(byLength.get(words.length) ?? []), { page, words }]);
  }
  return (path) => {
    // `GET *` asks for no page: it would be taken for the first one, for which express-session opens no session.
    if (!path.startsWith('/')) return [];
    const asked = wordsOf(path);
    return (byLength.get(asked.length) ?? []).flatMap(({ page, words }) => {
      const params = paramsOf(words, asked);
      return params ? [{ page, params }] : [];
    });
  };
}

const wordsOf = (path: string): readonly string[] => path.slice(1).split('/');

function paramsOf(words: readonly string[], asked: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = Object.create(null);
  for (const [at, word] of words.entries()) {
    const text = asked[at] as string;
    const name = NAME.exec(word)?.[1];
    const value = name === undefined ? null : decoded(text);
    if (name !== undefined && value) params[name] = value;
    else if (name !== undefined || word !== text) return null;
  }
  return { ...params };
}

/** @returns null for an escape that is none: no page has such an address */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
