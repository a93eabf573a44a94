import type { Ctx } from '#kernel/context.ts';
import { upload } from '#platform/media/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { type CategoryLine, type CollectionLine, takeLine } from '../transfer/index.ts';
import * as places from './goods/places.ts';
import type { SampleProduct } from './goods/types.ts';
import { categoryLines, departments, lineOf } from './lines.ts';
import { noting, productMark } from './marks.ts';
import { picturesOf } from './pictures.ts';
import type { SampleKind } from './record.ts';
import * as repo from './repository.ts';
import { loadMenus, loadPages, plannedAround, relateProducts } from './surroundings.ts';

/** What a load did. */
export interface Loaded {
  /** Products that were made. */
  products: number;
  /** Products whose slug another one has: they are left out. */
  taken: string[];
}

/** On a busy machine a picture takes longer than those of strangers may. */
const PATIENCE_MS = 30_000;

/** Things that are made one after the other, for the progress. */
const all = departments.flatMap(({ ground, products }) => products.map((sample) => ({ ground, sample })));
export const SAMPLE_PRODUCTS = all.length;

/**
 * Fills the shop with sample data: what is there already, changed or not, stays as it is. A load that ends on the way
 * goes on when it is asked for again. Pictures are rendered by their job afterwards.
 *
 * @param progress told after each product
 */
export async function load(ctx: Ctx, progress: (done: number, total: number) => void): Promise<Loaded> {
  const loaded: Loaded = { products: 0, taken: [] };
  await loadPlaces(ctx);
  for (const [done, { ground, sample }] of all.entries()) {
    const known = (await products.idsBySlug(ctx, [sample.slug])).get(sample.slug);
    if (known === undefined) {
      await loadProduct(ctx, sample, ground);
      loaded.products += 1;
    } else if (!(await isOurs(ctx, known))) loaded.taken.push(sample.slug);
    progress(done + 1, SAMPLE_PRODUCTS);
  }
  await fillCollections(ctx);
  await relateProducts(ctx);
  await loadPages(ctx);
  await loadMenus(ctx);
  return loaded;
}

/** What a load would make, by kind; nothing is written. */
export async function planned(ctx: Ctx): Promise<Readonly<Record<SampleKind, number>>> {
  const known = await products.idsBySlug(
    ctx,
    all.map(({ sample }) => sample.slug),
  );
  const wanted = all.filter(({ sample }) => !known.has(sample.slug));
  const missing = (lines: readonly { slug: string }[], present: readonly { slug: string }[]): number => {
    const slugs = new Set(present.map(({ slug }) => slug));
    return lines.filter(({ slug }) => !slugs.has(slug)).length;
  };
  return {
    product: wanted.length,
    media: wanted.reduce((sum, { sample, ground }) => sum + picturesOf(sample, ground).length, 0),
    category: missing(categoryLines(places.categories), await categories.listAll(ctx)),
    collection: missing(places.collections, await collections.listAll(ctx)),
    ...(await plannedAround(ctx)),
  };
}

const isOurs = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await repo.listItems(ctx, 'product')).some((item) => item.id === id);

async function loadPlaces(ctx: Ctx): Promise<void> {
  for (const line of categoryLines(places.categories)) await loadCategory(ctx, line);
  for (const line of places.collections) await loadCollection(ctx, line);
}

const loadCategory = (ctx: Ctx, line: CategoryLine): Promise<void> =>
  ctx.tx(async (ctx) => {
    const find = async () => (await categories.listAll(ctx)).find(({ slug }) => slug === line.slug);
    if (await find()) return;
    await takeLine(ctx, line);
    const made = await find();
    if (made) await noting(ctx, 'category', made.id, made.slug, made.updatedAt);
  });

const loadCollection = (ctx: Ctx, line: CollectionLine): Promise<void> =>
  ctx.tx(async (ctx) => {
    const find = async () => (await collections.listAll(ctx)).find(({ slug }) => slug === line.slug);
    if (await find()) return;
    await takeLine(ctx, line);
    const made = await find();
    if (made) await noting(ctx, 'collection', made.id, made.slug, made.updatedAt);
  });

async function loadProduct(ctx: Ctx, sample: SampleProduct, ground: string): Promise<void> {
  const media: { id: string; sha256: string; alt: string; fileName: string; color: string | null }[] = [];
  for (const { svg, fileName, alt, color } of picturesOf(sample, ground)) {
    const { id, sha256 } = await upload(ctx, {
      source: bytesOf(svg),
      fileName,
      alt,
      folder: 'sample',
      patienceMs: PATIENCE_MS,
    });
    media.push({ id, sha256, alt, fileName, color });
  }
  const line = lineOf(sample);
  // A picture belongs to a variant where its color alone makes one.
  const skuOf = (color: string | null) =>
    sample.choice ? null : (line.variants?.find((one) => one.option_values?.Color === color)?.sku ?? null);
  const pictures = media.map(({ sha256, alt, color }) => ({
    sha256,
    alt,
    sku: color === null ? null : skuOf(color),
  }));
  await ctx.tx(async (ctx) => {
    for (const { id, fileName, alt } of media) await noting(ctx, 'media', id, fileName, alt);
    await takeLine(ctx, { ...line, pictures });
    const id = (await products.idsBySlug(ctx, [sample.slug])).get(sample.slug) ?? '';
    await noting(ctx, 'product', id, sample.slug, await productMark(ctx, await products.get(ctx, id)));
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Collections that nobody has changed since they were made are filled once. */
async function fillCollections(ctx: Ctx): Promise<void> {
  const ours = await repo.listItems(ctx, 'collection');
  for (const { id, slug, mark } of ours) {
    const wanted = places.picks[slug];
    if (wanted === undefined) continue;
    await ctx.tx(async (ctx) => {
      const found = (await collections.listAll(ctx)).find((one) => one.id === id);
      if (found?.updatedAt !== mark || (await collections.listProducts(ctx, id)).length > 0) return;
      const ids = await products.idsBySlug(ctx, wanted);
      const productIds = wanted.flatMap((one) => ids.get(one) ?? []);
      await collections.replaceProducts(ctx, id, { productIds });
      const { updatedAt } = await collections.get(ctx, id);
      await noting(ctx, 'collection', id, slug, updatedAt);
    });
  }
}
