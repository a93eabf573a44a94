// Fills a shop the way one has it that sells ten thousand things: through the use cases, so that all that lists, search
// and stock keep beside a product is there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Ctx } from '#kernel/context.ts';
import * as media from '#platform/media/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as products from '#storefront/catalog/products/index.ts';
import { runJob } from '../support/jobs.ts';
import { type Installation, withInstance } from './seed.ts';

/** Together in one transaction. */
const AT_ONCE = 100;
const PICTURES = 40;
const CATEGORIES = 60;
const BRANDS = 40;

const kinds = ['Lamp', 'Chair', 'Desk', 'Mug', 'Kettle', 'Backpack', 'Jacket', 'Notebook', 'Tent', 'Speaker'];
const looks = ['Nordic', 'Classic', 'Compact', 'Folding', 'Walnut', 'Brushed', 'Quiet', 'Outdoor', 'Slim'];
const colors = ['Black', 'White', 'Red', 'Blue', 'Green', 'Sand', 'Grey', 'Yellow'];
const topics = ['new', 'gift', 'office', 'travel', 'kitchen', 'garden', 'sale', 'eco', 'kids', 'classic'];
const sentence =
  'Made to be used every day, repaired when it breaks and handed on when you no longer need it. ' +
  'Its parts are listed with their materials, and each can be ordered by itself.';

/** One of a list, the same for the same number. */
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const nameOf = (n: number): string =>
  `${pick(looks, n)} ${pick(kinds, Math.floor(n / 9))} ${String(n).padStart(5, '0')}`;
const variantsOf = (n: number): number => (n % 2 === 0 ? 2 : 4);

/** What the load asks for. */
export interface ShopPaths {
  readonly slugs: readonly string[];
  readonly words: readonly string[];
}

/**
 * Makes products with three variants each on the average, two pictures, a category, a brand and tags.
 *
 * @param say hears of the progress
 * @returns slugs of products and words of their titles
 */
export function seedShop(
  { dataDir, databaseUrl }: Installation,
  count: number,
  say: (line: string) => void,
): Promise<ShopPaths> {
  return withInstance(dataDir, databaseUrl, async ({ ctx }) => {
    const mediaIds = await seedPictures(ctx);
    const categoryIds = await seedCategories(ctx);
    const slugs: string[] = [];
    for (let from = 0; from < count; from += AT_ONCE) {
      const to = Math.min(count, from + AT_ONCE);
      await ctx.tx(async (ctx) => {
        for (let n = from; n < to; n++)
          slugs.push((await products.create(ctx, productOf(n, mediaIds, categoryIds))).slug);
      });
      if (to % 2000 === 0) say(`${to.toLocaleString('en')} products`);
    }
    return { slugs, words: [...kinds, ...looks, 'lmap', 'kettel', 'brand 7', 'nothing-like-it'] };
  });
}

function productOf(
  n: number,
  mediaIds: readonly string[],
  categoryIds: readonly string[],
): products.ProductCreateInput {
  const price = 900 + (n % 300) * 100;
  const isOnSale = n % 5 === 0;
  const values = Array.from({ length: variantsOf(n) }, (_, at) => pick(colors, n + at));
  return {
    title: nameOf(n),
    type: 'physical',
    status: 'active',
    brand: `Brand ${n % BRANDS}`,
    tags: [pick(topics, n), pick(topics, n + 3)],
    shortDescription: sentence,
    descriptionHtml: `<p>${sentence}</p><ul><li>${sentence}</li><li>${sentence}</li></ul><p>${sentence}</p>`,
    mediaIds: [pick(mediaIds, n), pick(mediaIds, n + 7)],
    categoryIds: [pick(categoryIds, n)],
    options: [{ name: 'Color', values }],
    variants: values.map((color, at) => ({
      sku: `SKU-${n}-${at}`,
      priceCents: price + at * 50,
      ...(isOnSale && { compareAtCents: price + 1000 }),
      optionValues: { Color: color },
    })),
  };
}

async function seedPictures(ctx: Ctx): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < PICTURES; n++) {
    const bytes = await picture(1200, 1200, n);
    const source = (async function* () {
      yield bytes;
    })();
    made.push((await media.upload(ctx, { source, fileName: `picture-${n}.jpg`, alt: `Picture ${n}` })).id);
  }
  await runJob(ctx, 'media-variants');
  return made;
}

/** A photograph as far as a server can tell: noise, so that it packs no better than one. */
export const picture = (width: number, height: number, n: number): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: { r: (n * 37) % 256, g: (n * 91) % 256, b: (n * 53) % 256 },
      noise: { type: 'gaussian', mean: 60 + (n % 120), sigma: 18 },
    },
  })
    .jpeg({ quality: 80 })
    .toBuffer();

async function seedCategories(ctx: Ctx): Promise<string[]> {
  const made: string[] = [];
  for (let n = 0; n < CATEGORIES; n++) {
    const parentId = n < 8 ? null : (made[n % 8] ?? null);
    made.push((await categories.create(ctx, { name: `Category ${n}`, parentId })).id);
  }
  return made;
}

/** A list of paths for the load client. */
export function pathsFile({ dataDir }: Installation, name: string, paths: readonly string[]): string {
  const file = join(dataDir, `${name}.paths.json`);
  writeFileSync(file, JSON.stringify(paths));
  return file;
}

export const aboutColors = colors;
export const aboutTopics = topics;
export const brandCount = BRANDS;
