import { isDeepStrictEqual } from 'node:util';
import { type Scopes, scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { revokeOfUser } from '../../admin-tokens/index.ts';
import * as roles from '../../roles/index.ts';
import * as secondFactor from '../../second-factor/index.ts';
import { requireMayManage } from '../management.ts';
import { get } from '../staff.ts';
import type { StaffView } from '../view.ts';
import { rightsEvents } from './events.ts';
import * as repo from './repository.ts';

/**
 * Replaces the roles of a user; they count from its next request on.
 *
 * @param idOrEmail of the user
 * @param names of system roles and of the installation's own
 * @throws AppError NOT_FOUND for an unknown user or role, and one who sees more rows than the actor; INSUFFICIENT_SCOPE
 *   for a permission that the actor lacks; CONFLICT for the last active owner
 */
export const setRoles = (ctx: Ctx, idOrEmail: string, names: readonly string[]): Promise<StaffView> =>
  changing(ctx, idOrEmail, async (ctx, { user, held }) => {
    const after = [...new Set(names)].toSorted();
    if (isDeepStrictEqual(after, held.roles)) return;
    const added = after.filter((name) => !held.roles.includes(name));
    roles.requireGrantable(ctx.actor, await roles.permissionsOfRoles(ctx, added));
    if (roles.isFullOwner(held) && !after.includes('owner')) await roles.requireAnotherOwner(ctx, user.id);
    await roles.setRolesOf(ctx, user.id, after);
    await repo.touch(ctx, user.id);
    await rightsEvents.tell(
      ctx,
      'USER_ROLES_CHANGED',
      user.id,
      {},
      { before: { roles: held.roles }, after: { roles: after } },
    );
  });

/**
 * Replaces the rows that a user is confined to, from its next request on. A kind without ids is no longer confined.
 *
 * @throws AppError VALIDATION_ERROR; NOT_FOUND as in `setRoles`, and for a row that does not exist;
 *   INSUFFICIENT_SCOPE for more rows than the actor sees; CONFLICT for the last active owner
 */
export const setScopes = (ctx: Ctx, idOrEmail: string, scopes: Scopes): Promise<StaffView> =>
  changing(ctx, idOrEmail, async (ctx, { user, held }) => {
    const after = confining(checkInput(roles.ScopesInput, scopes));
    roles.requireWithinScope(ctx.actor, after);
    const missing = await roles.findMissing(ctx, after, scopeOf(ctx.actor, 'tenant'));
    if (missing) throw roles.unknownRow(missing.kind, missing.id);
    if (roles.isFullOwner(held) && Object.keys(after).length > 0)
      await roles.requireAnotherOwner(ctx, user.id);
    await roles.setScopesOf(ctx, user.id, after);
    await repo.touch(ctx, user.id);
    const told = { before: { scopes: held.scopes }, after: { scopes: after } };
    await rightsEvents.tell(ctx, 'USER_SCOPES_CHANGED', user.id, {}, told);
  });

/**
 * Closes an account: its sessions and the tokens that it signed in with open nothing any more. Again: unchanged.
 *
 * @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE for one who may do more than the actor; CONFLICT for the last owner
 */
export const disable = (ctx: Ctx, idOrEmail: string): Promise<StaffView> =>
  changing(ctx, idOrEmail, async (ctx, { user, held }) => {
    if (user.status === 'disabled') return;
    if (roles.isFullOwner(held)) await roles.requireAnotherOwner(ctx, user.id);
    await repo.disable(ctx, user.id);
    const told = { before: { status: user.status }, after: { status: 'disabled' } };
    await rightsEvents.tell(ctx, 'USER_DISABLED', user.id, {}, told);
  });

/** Opens a closed account again, and one that wrong passwords have locked. Again: unchanged. @throws as `disable` */
export const enable = (ctx: Ctx, idOrEmail: string): Promise<StaffView> =>
  changing(ctx, idOrEmail, async (ctx, { user }) => {
    if (user.status !== 'disabled') return;
    await repo.enable(ctx, user.id);
    const { status } = await get(ctx, user.id);
    const told = { before: { status: user.status }, after: { status } };
    await rightsEvents.tell(ctx, 'USER_ENABLED', user.id, {}, told);
  });

/** Deletes an account; what it did keeps its name. @returns as it was @throws as `disable` */
export async function remove(ctx: Ctx, idOrEmail: string): Promise<StaffView> {
  return ctx.tx(async (ctx) => {
    const { user, held } = await lock(ctx, idOrEmail);
    if (roles.isFullOwner(held)) await roles.requireAnotherOwner(ctx, user.id);
    await revokeOfUser(ctx, user.id);
    await secondFactor.remove(ctx, user.id);
    await repo.remove(ctx, user.id);
    await rightsEvents.tell(ctx, 'USER_DELETED', user.id, {}, { before: user });
    return user;
  });
}

interface Target {
  readonly user: StaffView;
  readonly held: roles.Held;
}

/** Changes a user while nobody else changes who may do what. */
function changing(
  ctx: Ctx,
  idOrEmail: string,
  change: (ctx: Ctx, target: Target) => Promise<void>,
): Promise<StaffView> {
  return ctx.tx(async (ctx) => {
    const target = await lock(ctx, idOrEmail);
    await change(ctx, target);
    return get(ctx, target.user.id);
  });
}

async function lock(ctx: Ctx, idOrEmail: string): Promise<Target> {
  await roles.lockRoles(ctx);
  const user = await get(ctx, idOrEmail);
  return { user, held: await requireMayManage(ctx, user.id) };
}

/** Without the kinds that name no row. */
const confining = (scopes: { [K in keyof Scopes]?: readonly string[] | undefined }): Scopes =>
  Object.fromEntries(Object.entries(scopes).filter(([, ids]) => ids !== undefined && ids.length > 0));
