import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { requirePicture } from '#platform/media/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { freeSlug, slugOf } from '#storefront/contract/slug.ts';
import { placeProducts, productsIn } from '../products/index.ts';
import { collectionEvents } from './events.ts';
import { categoryIds, collectionRows, membersOf, ruledMembers } from './queries.ts';
import type { Collection } from './record.ts';
import * as repo from './repository.ts';
import { problemOf, type Rule } from './rules.ts';
import {
  CollectionCreate,
  type CollectionCreateInput,
  CollectionUpdate,
  type CollectionUpdateInput,
  Trial,
  type TrialInput,
} from './schemas.ts';

/** A collection. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<Collection> =>
  (await collectionRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `collection ${id} does not exist`);
}

/**
 * Makes a collection. A slug is made from the title when none is sent.
 *
 * @throws AppError VALIDATION_ERROR, for rules that do not fit, for rules of one that is filled by hand and for an unknown
 *   picture too; CONFLICT, reason DUPLICATE, for a taken slug
 */
export async function create(ctx: Ctx, input: CollectionCreateInput): Promise<Collection> {
  const { rules = [], ...sent } = checkInput(CollectionCreate, input);
  return ctx.tx(async (ctx) => {
    const slug = sent.slug ?? (await slugFrom(ctx, sent.title));
    const now = ctx.now();
    const collection: Collection = {
      id: ctx.newId(ids.collection),
      title: sent.title,
      slug,
      kind: sent.kind,
      rules: await checked(ctx, sent.kind, rules),
      match: sent.match ?? 'all',
      sort: sortFor(sent.kind, sent.sort ?? (sent.kind === 'manual' ? 'manual' : 'newest')),
      description: sent.description ?? null,
      mediaId: sent.mediaId ?? null,
      seoTitle: sent.seoTitle ?? null,
      seoDescription: sent.seoDescription ?? null,
      createdAt: now,
      updatedAt: now,
    };
    await requirePicture(ctx, collection.mediaId);
    await storing(slug, () => repo.insertCollection(ctx, collection));
    await collectionEvents.tell(ctx, 'collection.created', collection.id, toldOf(collection), {
      after: collection,
    });
    return collection;
  });
}

/**
 * Changes a collection. What is not sent stays, null clears. A call that changes nothing writes nothing.
 *
 * @throws AppError as `create` does; NOT_FOUND
 */
export async function change(ctx: Ctx, id: string, input: CollectionUpdateInput): Promise<Collection> {
  const { rules, ...sent } = sentFields(checkInput(CollectionUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockCollection(ctx, id)) ?? missing(id);
    const wanted: Collection = {
      ...before,
      ...sent,
      ...(rules && { rules: await checked(ctx, before.kind, rules) }),
    };
    sortFor(wanted.kind, wanted.sort);
    await requirePicture(ctx, sent.mediaId);
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    return store(ctx, before, wanted);
  });
}

async function store(ctx: Ctx, before: Collection, wanted: Collection): Promise<Collection> {
  const after = { ...wanted, updatedAt: ctx.now() };
  await storing(after.slug, () => repo.updateCollection(ctx, after));
  await collectionEvents.tell(ctx, 'collection.updated', after.id, toldOf(after), { before, after });
  return after;
}

/** Removes a collection; its products stay. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockCollection(ctx, id)) ?? missing(id);
    await repo.deleteCollection(ctx, id);
    await collectionEvents.tell(ctx, 'collection.deleted', id, toldOf(before), { before });
  });
}

/** Ids of the products of a collection, in its order, in whatever status they are. @throws AppError NOT_FOUND */
export const listProducts = async (ctx: Ctx, id: string): Promise<string[]> =>
  membersOf(ctx, await get(ctx, id));

/**
 * Puts products into a collection in this order, in place of those that it has.
 *
 * @returns how many there are
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown product and for one named twice; CONFLICT, reason
 *   INVALID_TRANSITION, for a collection of rules
 */
export async function replaceProducts(
  ctx: Ctx,
  id: string,
  input: { productIds: string[] },
): Promise<number> {
  return ctx.tx(async (ctx) => {
    const collection = (await repo.lockCollection(ctx, id)) ?? missing(id);
    if (collection.kind === 'rule')
      throw fail(
        'CONFLICT',
        `collection ${collection.slug} is filled by its rules; change those, or create a collection that is filled by hand`,
        { details: { reason: 'INVALID_TRANSITION' } },
      );
    if (await placeProducts(ctx, 'collection', id, input)) await store(ctx, collection, collection);
    return (await productsIn(ctx, 'collection', id)).length;
  });
}

/**
 * Ids of the products that rules would match, newest first.
 *
 * @param input without rules, those of the collection
 * @throws AppError NOT_FOUND; VALIDATION_ERROR
 */
export async function preview(ctx: Ctx, id: string, input: TrialInput): Promise<string[]> {
  const { rules, match } = checkInput(Trial, input);
  const collection = await get(ctx, id);
  return ruledMembers(ctx, {
    rules: rules ? await checked(ctx, 'rule', rules) : collection.rules,
    match: match ?? collection.match,
  });
}

/** The rules as they are stored: categories by their ids. @throws AppError VALIDATION_ERROR */
async function checked(
  ctx: Ctx,
  kind: Collection['kind'],
  rules: readonly Rule[],
): Promise<Collection['rules']> {
  if (kind === 'manual' && rules.length > 0)
    throw invalidField('rules', 'cannot be used for a collection that is filled by hand; leave them out');
  const named = rules.flatMap(({ field, value }) => (field === 'category' ? [value] : []));
  const categories = await categoryIds(ctx, named);
  return rules.map((rule, at) => {
    const problem = problemOf(rule);
    if (problem) throw invalidField(`rules.${at}.${problem.at}`, problem.says);
    if (rule.field !== 'category') return { ...rule };
    const id = categories.get(rule.value);
    if (id === undefined) throw invalidField(`rules.${at}.value`, `category ${rule.value} does not exist`);
    return { ...rule, value: id };
  });
}

/** @throws AppError VALIDATION_ERROR for an order by hand of what rules choose */
function sortFor(kind: Collection['kind'], sort: Collection['sort']): Collection['sort'] {
  if (kind === 'rule' && sort === 'manual')
    throw invalidField('sort', 'cannot be manual for a collection with rules; choose another order');
  return sort;
}

async function slugFrom(ctx: Ctx, title: string): Promise<string> {
  await repo.lockSlugs(ctx);
  const base = slugOf(title) || 'collection';
  return freeSlug(base, (start) => repo.slugsFrom(ctx, start));
}

async function storing(slug: string, write: () => Promise<void>): Promise<void> {
  try {
    await referring('media_id', 'the picture was deleted in the meantime; choose another one', write);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `slug ${slug} is taken by another collection; choose another one`;
    throw fail('CONFLICT', message, { details: { reason: 'DUPLICATE' } });
  }
}

const toldOf = ({ title, slug, kind }: Collection) => ({ title, slug, kind });
