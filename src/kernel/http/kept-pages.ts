import { createHash, randomBytes } from 'node:crypto';
import { memoryKey } from '../process-memory.ts';
import { joinPacked, packPart } from './compress.ts';
import type { ReplyHead } from './reply.ts';

/** Bodies that are kept take at most so much memory, counted in characters; compressed, they add about a quarter. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * Stands in a body where each visitor has a token of his own. Nobody can guess it: a mark that a text or an address of the
 * page could hold would put the token there.
 */
export const TOKEN_MARK = `csrf-${randomBytes(16).toString('hex')}`;

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

const packs = new WeakMap<KeptPage, readonly Buffer[]>();

/** A page as gzip, of parts that are compressed once. @param isOften it will be sent again */
export function packedPage(page: KeptPage, token: string, isOften: boolean): Buffer {
  let packed = packs.get(page);
  if (!packed) packs.set(page, (packed = page.parts.map((part) => packPart(part, isOften))));
  return joinPacked(page.parts, packed, token);
}

/** What a rendered page is, whether it is kept or not. */
export function keptPage(html: string, head: ReplyHead | undefined, until: number): KeptPage {
  const parts = html.split(TOKEN_MARK);
  // The same in every process, as the mark is not.
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${part.length}:`).update(part);
  return { parts, etag: `W/"${digest.digest('hex').slice(0, 24)}"`, head, until };
}

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
