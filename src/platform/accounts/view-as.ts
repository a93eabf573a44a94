import { personOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { conflict } from '#kernel/service/errors.ts';
import { accountEvents } from './events.ts';
import { requireMayManage } from './management.ts';
import { get } from './staff.ts';
import type { StaffView } from './view.ts';

/**
 * Notes that the actor begins to look as another account does. The record names both.
 *
 * @throws AppError NOT_FOUND; CONFLICT for an account that cannot sign in; INSUFFICIENT_SCOPE for one that may do or see
 *   more than the actor
 */
export const beginViewAs = (ctx: Ctx, userId: string): Promise<StaffView> =>
  ctx.tx(async (ctx) => {
    const user = await get(ctx, userId);
    await requireMayManage(ctx, user.id);
    if (user.status !== 'active')
      throw conflict(`${user.email} is ${user.status}: nothing can be shown as this account`);
    await accountEvents.tell(ctx, 'VIEW_AS_BEGUN', user.id, {});
    return user;
  });

/** Notes that the actor stops looking as somebody else. */
export const endViewAs = (ctx: Ctx, userId: string): Promise<void> =>
  ctx
    .with({ actor: { kind: 'staff', ...personOf(ctx.actor) } })
    .tx((ctx) => accountEvents.tell(ctx, 'VIEW_AS_ENDED', userId, {}));
