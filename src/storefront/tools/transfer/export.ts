import type { Ctx } from '#kernel/context.ts';
import { type Content, streamContent } from '#kernel/http/content.ts';
import { notingExport } from '#platform/audit/index.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import { type Product, shopProductRows, type Whole, wholesOf } from '#storefront/catalog/products/index.ts';
import { classesOf } from './classes.ts';
import type { Line } from './line.ts';
import { orderLines, relationLines } from './links.ts';
import { categoryLine, collectionLine, productLine } from './write.ts';

/** Filters of the list of products, as their schemas read them. */
export interface ExportAsked {
  readonly q?: string | undefined;
  readonly filters: Readonly<Record<string, unknown>>;
}

/** The categories and collections that a file has to hold, each once, before what stands in it. */
interface Places {
  readonly categories: readonly categories.PicturedCategory[];
  readonly collections: readonly collections.PicturedCollection[];
  readonly written: Set<string>;
}

/**
 * Products as JSON Lines, oldest first, that an import reads back: before them the categories and collections that they
 * stand in, and all of both where no filter narrows the products; behind them what is shown beside each, and the orders
 * that staff gave whole places. That it was made is on record.
 */
export function exportLines(ctx: Ctx, { q, filters }: ExportAsked): Content {
  const stream = () => shopProductRows.stream(ctx, { q, sort: 'created', filters });
  const about = { what: 'shop-products', format: 'jsonl', filter: { q, ...filters } };
  const name = `products-${ctx.now().slice(0, 10)}.jsonl`;
  const isWhole = q === undefined && Object.values(filters).every((value) => value === undefined);
  return streamContent(
    'application/x-ndjson; charset=utf-8',
    name,
    written(ctx, { pages: notingExport(ctx, about, stream()), again: stream, isWhole }),
  );
}

type Pages = AsyncIterable<readonly Product[]>;

interface Asked {
  readonly pages: Pages;
  /** The same products once more. */
  readonly again: () => Pages;
  readonly isWhole: boolean;
}

async function* written(ctx: Ctx, { pages, again, isWhole }: Asked): AsyncGenerator<Uint8Array> {
  const places = await placesOf(ctx);
  const classes = await classesOf(ctx);
  const { categories: allCategories, collections: allCollections } = places;
  if (isWhole) {
    const ids = [...allCategories, ...allCollections].map(({ id }) => id);
    yield* bytesOf(placeLines(places, ids));
  }
  for await (const page of pages) {
    const wholes: Whole[] = await wholesOf(ctx, page);
    const named = wholes
      .flatMap((whole) => whole.places)
      .toSorted((one, other) => one.kind.localeCompare(other.kind))
      .map(({ id }) => id);
    yield* bytesOf([...placeLines(places, named), ...wholes.map((whole) => productLine(whole, classes))]);
  }
  for await (const page of again()) yield* bytesOf(await relationLines(ctx, page));
  if (!isWhole) return;
  for (const { id, slug } of allCategories) yield* bytesOf(await orderLines(ctx, 'category', { id, slug }));
  for (const { id, slug, kind } of allCollections)
    if (kind === 'manual') yield* bytesOf(await orderLines(ctx, 'collection', { id, slug }));
}

async function placesOf(ctx: Ctx): Promise<Places> {
  return {
    categories: await categories.listAll(ctx),
    collections: await collections.listAll(ctx),
    written: new Set(),
  };
}

function* bytesOf(lines: readonly Line[]): Generator<Uint8Array> {
  if (lines.length > 0) yield Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

/** Lines of places that are not written yet, those above them first. */
function placeLines(places: Places, ids: readonly string[]): Line[] {
  return ids.flatMap((id) => {
    if (places.written.has(id)) return [];
    places.written.add(id);
    const category = places.categories.find((one) => one.id === id);
    if (category) {
      const above = category.parentId === null ? [] : placeLines(places, [category.parentId]);
      const parent = places.categories.find((one) => one.id === category.parentId)?.slug ?? null;
      return [...above, categoryLine(category, parent, category.media)];
    }
    const found = places.collections.find((one) => one.id === id);
    if (!found) return [];
    const named = found.rules.flatMap(({ field, value }) => (field === 'category' ? [value] : []));
    const slugs = new Map(places.categories.map((one) => [one.id, one.slug]));
    return [...placeLines(places, named), collectionLine(found, slugs, found.media)];
  });
}
