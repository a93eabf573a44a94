import type { Ctx } from '#kernel/context.ts';
import type { Wanted } from '#kernel/db/full-text.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { findByLevels, findByNames } from './queries.ts';
import { bestSelling, type Shelf, type Shelved } from './shelf.ts';
import { containing } from './spelling.ts';
import { lookedFor, type Word, wholeTerm } from './terms.ts';

/** How well products fit what somebody looks for: 0 is the best. Those that do not fit are missing. */
type Ranks = ReadonlyMap<string, number>;

/** What the best of some products have of the words: all as they were written, all at least as parts, or some of them. */
export type Fit = 'words' | 'parts' | 'some';

/** What a search finds. */
export interface Hits {
  /** What fits best comes first, of what fits alike the best selling one; also those that are shown only later. */
  readonly products: readonly Shelved[];
  readonly fit: Fit;
}

/** Behind those that have all words as they were written, or begin to. */
const WIDER = 10;
const SOME = 20;

/**
 * Finds products (storefront-api.md, D): by SKU, barcode or the whole title, then by all words in the title, in what else
 * names it, and in its text. When nothing has all of them, words count that hold one as a part; when nothing has those,
 * whatever has some of the words.
 */
export async function hitsOf(ctx: Ctx, shelf: Shelf, q: string): Promise<Hits> {
  const kept = ctx.memory.of(held);
  const before = kept.shelf === shelf ? kept.found.get(q) : undefined;
  if (before) return before;
  const hits = hitsOn(shelf, await find(ctx, q));
  if (!kept.shelf || shelf.version > kept.shelf.version)
    Object.assign(kept, { shelf, found: new Map(), count: 0 });
  if (kept.shelf === shelf) keep(kept, q, hits);
  return hits;
}

/** What was found lately, until a product changes: facets, pages and corrections ask for the same again. */
const held = memoryKey('searches of the shop', () => ({
  shelf: null as Shelf | null,
  found: new Map<string, Hits>(),
  /** Of all products in them. */
  count: 0,
}));
/** Each takes eight bytes. */
const MOST_KEPT = 500_000;
const MOST_SEARCHES = 2000;

function keep(kept: { found: Map<string, Hits>; count: number }, q: string, hits: Hits): void {
  if (kept.count + hits.products.length > MOST_KEPT || kept.found.size >= MOST_SEARCHES) {
    kept.found.clear();
    kept.count = 0;
  }
  kept.found.set(q, hits);
  kept.count += hits.products.length;
}

function hitsOn(shelf: Shelf, ranks: Ranks): Hits {
  const levels = new Map<number, Shelved[]>();
  for (const [id, rank] of ranks) {
    const product = shelf.byId.get(id);
    const level = levels.get(rank);
    if (product && level) level.push(product);
    else if (product) levels.set(rank, [product]);
  }
  const best = [...levels.keys()].sort((one, other) => one - other);
  const products = best.flatMap((rank) => (levels.get(rank) ?? []).sort(bestSelling));
  return { products, fit: fitOf(best[0] ?? SOME) };
}

function fitOf(best: number): Fit {
  if (best < WIDER) return 'words';
  return best < SOME ? 'parts' : 'some';
}

async function find(ctx: Ctx, q: string): Promise<Ranks> {
  const words = lookedFor(q);
  if (words.length === 0) return new Map();
  const found = await ranked(
    ctx,
    q,
    words.flatMap(({ wanted }) => wanted),
    0,
  );
  if (found.size > 0) return found;
  const wider = await widened(ctx, words);
  const more = wider ? await ranked(ctx, q, wider, WIDER) : found;
  return more.size > 0 || words.length === 1 ? more : bySome(ctx, words);
}

async function ranked(ctx: Ctx, q: string, wanted: Wanted, first: number): Promise<Ranks> {
  const whole = [[{ text: wholeTerm(q), isStart: false }]];
  const ranks = new Map<string, number>();
  for (const [level, ids] of (await findByLevels(ctx, whole, wanted)).entries())
    for (const id of ids) if (!ranks.has(id)) ranks.set(id, first + level);
  return ranks;
}

/** With the words that hold one of these as a part; null when there is none. */
async function widened(ctx: Ctx, words: readonly Word[]): Promise<Wanted | null> {
  let isWider = false;
  const wanted: Wanted[] = [];
  for (const { text, wanted: own } of words) {
    const more = own.length === 1 ? await containing(ctx, text) : [];
    isWider ||= more.length > 0;
    wanted.push(more.length === 0 ? own : [[...(own[0] ?? []), ...more]]);
  }
  return isWider ? wanted.flat() : null;
}

/** The more words, the better. */
async function bySome(ctx: Ctx, words: readonly Word[]): Promise<Ranks> {
  const ranks = new Map<string, number>();
  for (const { wanted } of words)
    for (const id of await findByNames(ctx, wanted))
      ranks.set(id, (ranks.get(id) ?? SOME + words.length) - 1);
  return ranks;
}
