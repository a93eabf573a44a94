import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { requirePicture } from '#platform/media/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { freeSlug, slugOf } from '#storefront/contract/slug.ts';
import { categoryEvents } from './events.ts';
import { categoryRows } from './queries.ts';
import { type Category, MOST_DEPTH } from './record.ts';
import * as repo from './repository.ts';
import {
  CategoryCreate,
  type CategoryCreateInput,
  CategoryUpdate,
  type CategoryUpdateInput,
} from './schemas.ts';

/** A category. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<Category> {
  const found = await categoryRows.find(ctx, id);
  if (!found) throw fail('NOT_FOUND', `category ${id} does not exist`);
  return found;
}

/**
 * Makes a category, last of those beside it when no position is sent. A slug is made from the name when none is sent.
 *
 * @throws AppError VALIDATION_ERROR, for an unknown parent and below the deepest level too; CONFLICT, reason DUPLICATE,
 *   for a taken slug
 */
export async function create(ctx: Ctx, input: CategoryCreateInput): Promise<Category> {
  const sent = checkInput(CategoryCreate, input);
  return ctx.tx(async (ctx) => {
    await repo.lockTree(ctx);
    const parent = await parentOf(ctx, sent.parentId ?? null);
    const slug = sent.slug ?? (await slugFrom(ctx, sent.name));
    const now = ctx.now();
    const category: Category = {
      id: ctx.newId(ids.category),
      parentId: parent?.id ?? null,
      name: sent.name,
      slug,
      path: pathIn(parent, slug),
      position: sent.position ?? (await repo.nextPosition(ctx, parent?.id ?? null)),
      description: sent.description ?? null,
      mediaId: sent.mediaId ?? null,
      seoTitle: sent.seoTitle ?? null,
      seoDescription: sent.seoDescription ?? null,
      createdAt: now,
      updatedAt: now,
    };
    requireDepth(depthOf(category.path));
    await requirePicture(ctx, category.mediaId);
    await storing(slug, () => repo.insertCategory(ctx, category));
    await categoryEvents.tell(ctx, 'category.created', category.id, toldOf(category), { after: category });
    return category;
  });
}

/**
 * Changes a category, or moves it: what is under it follows. What is not sent stays, null clears. A call that changes
 * nothing writes nothing.
 *
 * @throws AppError as `create` does; NOT_FOUND; VALIDATION_ERROR for a move under itself or under what is under it
 */
export async function change(ctx: Ctx, id: string, input: CategoryUpdateInput): Promise<Category> {
  const sent = sentFields(checkInput(CategoryUpdate, input));
  return ctx.tx(async (ctx) => {
    await repo.lockTree(ctx);
    const before = await get(ctx, id);
    const wanted = await placed(ctx, before, { ...before, ...sent }, sent.position);
    await requirePicture(ctx, sent.mediaId);
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    const after: Category = { ...wanted, updatedAt: ctx.now() };
    if (after.path !== before.path) await repo.movePaths(ctx, before.path, after.path, after.updatedAt);
    await storing(after.slug, () => repo.updateCategory(ctx, after));
    await categoryEvents.tell(ctx, 'category.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** The category with the path of the place that it is wanted at, and last there when it moves without a position. */
async function placed(
  ctx: Ctx,
  before: Category,
  wanted: Category,
  position: number | undefined,
): Promise<Category> {
  const parent = await parentOf(ctx, wanted.parentId);
  if (parent?.path.startsWith(before.path))
    throw invalidField('parent_id', 'is the category itself or under it; choose another one');
  const path = pathIn(parent, wanted.slug);
  if (path === before.path) return wanted;
  const deepest = Math.max(...(await repo.pathsUnder(ctx, before.path)).map(depthOf));
  requireDepth(depthOf(path) + deepest - depthOf(before.path));
  const isMoved = wanted.parentId !== before.parentId && position === undefined;
  return { ...wanted, path, ...(isMoved && { position: await repo.nextPosition(ctx, wanted.parentId) }) };
}

/** Removes a category; what is directly under it moves to where it was. @throws AppError NOT_FOUND */
export async function remove(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    await repo.lockTree(ctx);
    const category = await get(ctx, id);
    const { parentId, path, slug } = category;
    await repo.moveChildren(ctx, id, parentId);
    await repo.deleteCategory(ctx, id);
    await repo.movePaths(ctx, path, path.slice(0, -slug.length - 1), ctx.now());
    await categoryEvents.tell(ctx, 'category.deleted', id, toldOf(category), { before: category });
  });
}

async function parentOf(ctx: Ctx, id: string | null): Promise<Category | null> {
  if (id === null) return null;
  const parent = await categoryRows.find(ctx, id);
  if (!parent) throw invalidField('parent_id', `is not a category: ${id}`);
  return parent;
}

async function slugFrom(ctx: Ctx, name: string): Promise<string> {
  const base = slugOf(name) || 'category';
  return freeSlug(base, (start) => repo.slugsFrom(ctx, start));
}

async function storing(slug: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isForeignKeyViolation(error)) throw goneMeanwhile();
    if (!isUniqueViolation(error)) throw error;
    const message = `slug ${slug} is taken by another category; choose another one`;
    throw fail('CONFLICT', message, { details: { reason: 'DUPLICATE' } });
  }
}

const goneMeanwhile = () =>
  invalidField('media_id', 'the picture or the parent was deleted in the meantime; choose another one');

function requireDepth(depth: number): void {
  if (depth > MOST_DEPTH)
    throw invalidField('parent_id', `is below level ${MOST_DEPTH}, the deepest; choose one further up`);
}

const toldOf = ({ name, slug, path }: Category) => ({ name, slug, path });
const pathIn = (parent: Category | null, slug: string): string => `${parent?.path ?? '/'}${slug}/`;
const depthOf = (path: string): number => path.split('/').length - 2;
