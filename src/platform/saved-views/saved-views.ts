import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { savedViewEvents } from './events.ts';
import { ids } from './ids.ts';
import type { ListChoice, SavedView } from './record.ts';
import * as repo from './repository.ts';

/** More names than these are found by nobody. */
const MOST = 50;

/** A saved view as whoever looks at its list sees it. */
export interface ShownView extends Pick<SavedView, 'id' | 'name' | 'query' | 'isShared'> {
  readonly isOwn: boolean;
  /** Email address of who made it. */
  readonly owner: string;
  /** The list opens with it, for whoever looks. */
  readonly isDefault: boolean;
  readonly mayRemove: boolean;
}

/** What somebody saved of a list, and how it opens. */
export interface ListOf {
  readonly views: readonly ShownView[];
  /** Names of columns between commas; null for those of the list itself. */
  readonly columns: string | null;
}

const NOTHING: ListOf = { views: [], columns: null };

/** Views of a list that the actor sees: the own ones, and those that others of the tenant share. @param list a resource */
export async function of(ctx: Ctx, list: string): Promise<ListOf> {
  const { id: actorId } = ctx.actor;
  if (actorId === null) return NOTHING;
  const found = await repo.listVisible(ctx, list, actorId);
  const choice = await repo.findChoice(ctx, list, actorId);
  const views = found.map((view) => ({
    ...view,
    isOwn: view.adminUserId === actorId,
    isDefault: view.id === choice?.viewId,
    mayRemove: mayRemove(ctx, view),
  }));
  return { views, columns: choice?.columns ?? null };
}

/** Everybody removes the own ones; who administers staff removes what others share, too. */
const mayRemove = ({ actor }: Ctx, { adminUserId, isShared }: SavedView): boolean =>
  adminUserId === actor.id || (isShared && allows(actor, 'users:write'));

/** A view as it is saved. */
export interface Saving extends Pick<SavedView, 'name' | 'query' | 'isShared'> {
  readonly isDefault: boolean;
}

/**
 * Saves a view; one of the same name of the same person is replaced.
 *
 * @returns its id
 * @throws AppError CONFLICT for one too many
 */
export const save = (ctx: Ctx, list: string, { isDefault, ...given }: Saving): Promise<string> =>
  ctx.tx(async (ctx) => {
    await repo.lockList(ctx, list);
    const adminUserId = personIn(ctx);
    const own = (await repo.listVisible(ctx, list, adminUserId)).filter(
      (one) => one.adminUserId === adminUserId,
    );
    const before = own.find(({ name }) => name === given.name);
    if (!before && own.length >= MOST)
      throw new AppError('CONFLICT', 409, `You have ${MOST} views of this list. Remove one first`);
    const now = ctx.now();
    const view: SavedView = {
      id: before?.id ?? ctx.newId(ids.view),
      tenantId: ctx.tenantId,
      adminUserId,
      list,
      ...given,
      createdAt: before?.createdAt ?? now,
      updatedAt: now,
    };
    if (before) await repo.update(ctx, view);
    else await repo.insert(ctx, view);
    await tellShared(ctx, before, view);
    if (isDefault) await repo.putChoice(ctx, list, adminUserId, { viewId: view.id });
    return view.id;
  });

/**
 * Renames an own view, shares it or takes it back.
 *
 * @throws AppError NOT_FOUND for what is not the actor's, CONFLICT for a name that another one has
 */
export const change = (
  ctx: Ctx,
  list: string,
  id: string,
  changes: Pick<SavedView, 'name' | 'isShared'>,
): Promise<void> =>
  ctx.tx(async (ctx) => {
    await repo.lockList(ctx, list);
    const adminUserId = personIn(ctx);
    const own = (await repo.listVisible(ctx, list, adminUserId)).filter(
      (one) => one.adminUserId === adminUserId,
    );
    const before = own.find((one) => one.id === id);
    if (!before) throw unknownView(id);
    if (own.some((one) => one.id !== id && one.name === changes.name))
      throw new AppError('CONFLICT', 409, `You have a view named "${changes.name}" already`);
    const { owner: _owner, ...stored } = before;
    const after = { ...stored, ...changes, updatedAt: ctx.now() };
    await repo.update(ctx, after);
    await tellShared(ctx, stored, after);
  });

/** @throws AppError NOT_FOUND for what the actor may not remove */
export const remove = (ctx: Ctx, list: string, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await repo.lockList(ctx, list);
    const view = (await repo.listVisible(ctx, list, personIn(ctx))).find((one) => one.id === id);
    if (!view || !mayRemove(ctx, view)) throw unknownView(id);
    await repo.remove(ctx, id);
    await tellShared(ctx, view, undefined);
  });

/**
 * Chooses how a list opens for the actor: with a view, and with which columns. What is absent stays.
 *
 * @throws AppError NOT_FOUND for a view that the actor does not see
 */
export const choose = (ctx: Ctx, list: string, choice: Partial<ListChoice>): Promise<void> =>
  ctx.tx(async (ctx) => {
    await repo.lockList(ctx, list);
    const adminUserId = personIn(ctx);
    const { viewId } = choice;
    if (typeof viewId === 'string') {
      const seen = await repo.listVisible(ctx, list, adminUserId);
      if (!seen.some(({ id }) => id === viewId)) throw unknownView(viewId);
    }
    await repo.putChoice(ctx, list, adminUserId, choice);
  });

const unknownView = (id: string): AppError =>
  new AppError('NOT_FOUND', 404, `You have no saved view ${id} here`);

function personIn({ actor: { id } }: Ctx): string {
  if (id === null) throw new Error('a view belongs to somebody');
  return id;
}

/** Others are concerned by what is shared or was. */
async function tellShared(
  ctx: Ctx,
  before: SavedView | undefined,
  after: SavedView | undefined,
): Promise<void> {
  const view = after ?? before;
  if (!view) return;
  const told = { name: view.name, list: view.list };
  if (after?.isShared) await savedViewEvents.tell(ctx, 'VIEW_SHARED', view.id, told, { before, after });
  else if (before?.isShared)
    await savedViewEvents.tell(ctx, 'VIEW_WITHDRAWN', view.id, told, { before, after });
}
