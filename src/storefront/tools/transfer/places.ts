import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as categories from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import type { CategoryLine, CollectionLine } from './line.ts';
import { pictureOf } from './named-pictures.ts';

/** What became of a line. */
export type Result = 'created' | 'updated' | 'unchanged';

/** What became of it, and what of it could not be done. */
export interface Taken {
  readonly result: Result;
  readonly warnings?: readonly string[];
}

/** Slugs that earlier lines make: a rehearsal, which keeps nothing of those, takes them for granted. */
export type Announced = ReadonlySet<string>;

const seoFields = ({ seo }: Pick<CategoryLine, 'seo'>) => ({
  seoTitle: seo?.title,
  seoDescription: seo?.description,
});

const isSame = (before: object, after: object): boolean => JSON.stringify(before) === JSON.stringify(after);

/**
 * Makes a category, or changes the one with its slug.
 *
 * @throws AppError VALIDATION_ERROR, for an unknown one above it and a picture that the library has not too
 */
export async function takeCategory(ctx: Ctx, line: CategoryLine, announced: Announced): Promise<Result> {
  const { slug, name, parent, position, description } = line;
  return ctx.tx(async (ctx) => {
    const all = await categories.listAll(ctx);
    const known = all.find((one) => one.slug === slug);
    const before = known && (await categories.get(ctx, known.id));
    const above = all.find((one) => one.slug === parent);
    if (parent && !above && !announced.has(parent))
      throw invalidField('parent', `category ${parent} does not exist; put its line before this one`);
    const mediaId = await pictureOf(ctx, line.picture);
    const parentId = parent === undefined ? undefined : (above?.id ?? null);
    const input = { name, parentId, position, description, mediaId, ...seoFields(line) };
    if (before === undefined) await categories.create(ctx, { ...input, slug });
    else return isSame(before, await categories.change(ctx, before.id, input)) ? 'unchanged' : 'updated';
    return 'created';
  });
}

/**
 * Makes a collection, or changes the one with its slug.
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT, reason INVALID_TRANSITION, for one that is filled in another way
 */
export async function takeCollection(ctx: Ctx, line: CollectionLine, announced: Announced): Promise<Result> {
  const { slug, title, filled, match, sort, description } = line;
  return ctx.tx(async (ctx) => {
    const known = (await collections.listAll(ctx)).find((one) => one.slug === slug);
    const before = known && (await collections.get(ctx, known.id));
    if (before !== undefined && before.kind !== filled)
      throw fail('CONFLICT', `collection ${slug} is filled ${WAYS[before.kind]}; choose another slug`, {
        details: { reason: 'INVALID_TRANSITION' },
      });
    const rules = line.rules?.filter(({ field, value }) => field !== 'category' || !announced.has(value));
    const mediaId = await pictureOf(ctx, line.picture);
    const input = { title, rules, match, sort, description, mediaId, ...seoFields(line) };
    if (before === undefined) await collections.create(ctx, { ...input, slug, kind: filled });
    else return isSame(before, await collections.change(ctx, before.id, input)) ? 'unchanged' : 'updated';
    return 'created';
  });
}

const WAYS = { manual: 'by hand', rule: 'by rules' } as const;

/**
 * Ids of categories, or of collections, by the slugs that a line of a product names.
 *
 * @throws AppError VALIDATION_ERROR for an unknown one
 */
export function idsOf(
  known: readonly { readonly id: string; readonly slug: string }[],
  field: 'categories' | 'collections',
  slugs: readonly string[] | undefined,
  announced: Announced,
): string[] | undefined {
  const one = field === 'categories' ? 'category' : 'collection';
  return slugs?.flatMap((slug, at) => {
    const id = known.find((place) => place.slug === slug)?.id;
    if (id !== undefined) return [id];
    if (announced.has(slug)) return [];
    throw invalidField(`${field}.${at}`, `${one} ${slug} does not exist; put its line before this one`);
  });
}
