import type { Ctx } from '#kernel/context.ts';
import * as products from '../products/index.ts';
import type { ProductTerms } from './index-terms.ts';
import { listUnindexed } from './queries.ts';
import type { Indexed } from './record.ts';
import * as repo from './repository.ts';
import { termsOf, wholeTerm } from './terms.ts';
import { folded, partsOf, wordsIn } from './words.ts';

/** Another one when products are indexed in another way: those that are indexed in the old one are indexed anew. */
export const FORM = 1;

/** What somebody may have meant to write: letters alone, of a script that puts blanks between words. */
const MEANT = /^\p{L}[\p{L}\p{M}]{2,29}$/u;
const MOST_SPELLING = 60;

/** Text of HTML that was cleaned. */
const plain = (html: string): string =>
  html.replace(/<[^>]*>/g, ' ').replace(/&(amp|lt|gt|quot|#39|nbsp);/g, ' ');

/** Words of what a product is called, with their spelling. */
function wordsOf(texts: readonly string[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const spelled of texts.flatMap((text) => wordsIn(text.normalize('NFC')))) {
    const word = folded(spelled);
    if (MEANT.test(word) && partsOf(word).runs.length === 0 && spelled.length <= MOST_SPELLING)
      words.set(word, words.get(word) ?? spelled.toLowerCase());
  }
  return words;
}

const all = (texts: readonly string[]): Set<string> => termsOf(texts.join('\n'));

function indexOf({ product, variants, tags, options }: products.Whole) {
  const { title, brand, shortDescription, descriptionHtml } = product;
  const values = options.flatMap((option) => option.values.map(({ value }) => value));
  const called = [brand ?? '', ...tags, ...values];
  const codes = variants.flatMap(({ sku, barcode }) => [sku, barcode ?? '']);
  const exact = new Set([title, ...codes].map(wholeTerm).filter(Boolean));
  const names = all(called);
  for (const code of codes) for (const term of termsOf(code)) names.add(term);
  for (const code of codes) if (wholeTerm(code) !== '') names.add(wholeTerm(code));
  const body = all([shortDescription ?? '', plain(descriptionHtml ?? '')]);
  const terms: ProductTerms = { exact, title: all([title]), names, body };
  return { terms, words: wordsOf([title, ...called]) };
}

async function unindex(ctx: Ctx, indexed: Indexed | null): Promise<void> {
  if (!indexed) return;
  await repo.dropWords(ctx, wordsIn(indexed.words));
  await repo.remove(ctx, indexed);
}

/** Takes a product that the shop does not show out of the index, in the transaction that changes it. */
export async function unindexProduct(ctx: Ctx, productId: string): Promise<void> {
  // Nearly all of them were never in it: nobody waits for those.
  if (!(await repo.indexedOf(ctx, productId))) return;
  await repo.lockIndex(ctx);
  await unindex(ctx, await repo.indexedOf(ctx, productId));
}

/** Brings the index in line with a product, in the transaction that changes it. @throws AppError NOT_FOUND */
export async function indexProduct(ctx: Ctx, productId: string): Promise<void> {
  await repo.lockIndex(ctx);
  const before = await repo.indexedOf(ctx, productId);
  const whole = await products.getWhole(ctx, productId);
  if (whole.product.status !== 'active') return unindex(ctx, before);
  const had = new Set(before && wordsIn(before.words));
  const { terms, words } = indexOf(whole);
  const added = [...words].filter(([word]) => !had.has(word));
  await repo.addWords(ctx, new Map(added));
  await repo.dropWords(
    ctx,
    [...had].filter((word) => !words.has(word)),
  );
  const number = before?.number ?? (await repo.freeNumber(ctx));
  const { version } = whole.product;
  await repo.put(ctx, { productId, number, version, form: FORM, words: [...words.keys()].join(' ') }, terms);
}

/** Indexes what is not indexed as it is: products from before there was an index. @returns how many */
export async function indexMissing(ctx: Ctx): Promise<{ products: number }> {
  let count = 0;
  for (;;) {
    const ids = await listUnindexed(ctx, FORM);
    if (ids.length === 0) return { products: count };
    await ctx.tx(async (ctx) => {
      // Before the index is locked, as whoever changes a product does: what was found lately is old then.
      await products.catalogChanged(ctx);
      for (const { id, isShown } of ids) await (isShown ? indexProduct : unindexProduct)(ctx, id);
    });
    count += ids.length;
  }
}

/** Products of one transaction. */
const REBUILT_AT_ONCE = 50;

/** Writes the terms of all products anew, as a copy of the database needs it: the index over words is no table that is copied. */
export async function rebuildTerms(ctx: Ctx): Promise<void> {
  await ctx.tx(repo.forgetTerms);
  for (let after = 0; ; ) {
    const some = await repo.indexedAfter(ctx, after, REBUILT_AT_ONCE);
    const last = some.at(-1);
    if (!last) return;
    await ctx.tx(async (ctx) => {
      for (const one of some)
        await repo.putAgain(ctx, one, indexOf(await products.getWhole(ctx, one.productId)).terms);
    });
    after = last.number;
  }
}
