import { createHash } from 'node:crypto';
import { memoryKey } from '../process-memory.ts';
import type { ReplyHead } from './reply.ts';

/** Bodies that are kept take at most so much memory, counted in characters. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Stands in a kept body where each visitor has a token of his own: no text of a page holds this character. */
export const TOKEN_MARK = '\u0001csrf\u0001';

/** A page as it was rendered, without what belongs to one visitor. */
export interface KeptPage {
  /** Around the places of the token. */
  readonly parts: readonly string[];
  /** Of the body: weak, because the token differs each time. */
  readonly etag: string;
  readonly head: ReplyHead | undefined;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What a rendered page is, whether it is kept or not. */
export const keptPage = (html: string, head: ReplyHead | undefined, until: number): KeptPage => ({
  parts: html.split(TOKEN_MARK),
  etag: `W/"${createHash('sha256').update(html).digest('hex').slice(0, 24)}"`,
  head,
  until,
});

/** Rendered bodies for visitors of whom nothing is known (shop-pages 1), those that were not asked for longest go first. */
export class KeptPages {
  readonly #pages = new Map<string, KeptPage>();
  #characters = 0;

  find(key: string, now: number): KeptPage | undefined {
    const page = this.#pages.get(key);
    if (!page) return undefined;
    this.#remove(key, page);
    if (page.until <= now) return undefined;
    this.#add(key, page);
    return page;
  }

  keep(key: string, page: KeptPage): void {
    const before = this.#pages.get(key);
    if (before) this.#remove(key, before);
    this.#add(key, page);
    for (const [oldest, one] of this.#pages) {
      if (this.#characters <= MOST_CHARACTERS) break;
      this.#remove(oldest, one);
    }
  }

  #add(key: string, page: KeptPage): void {
    this.#pages.set(key, page);
    this.#characters += sizeOf(key, page);
  }

  #remove(key: string, page: KeptPage): void {
    this.#pages.delete(key);
    this.#characters -= sizeOf(key, page);
  }
}

const sizeOf = (key: string, { parts }: KeptPage): number =>
  parts.reduce((sum, part) => sum + part.length, key.length);

export const keptPages = memoryKey('kept pages', () => new KeptPages());
