import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import { promotionEvents } from './events.ts';
import { type Condition, get, insert, lock, refuse, requireComplete, store, toldOf } from './promotions.ts';
import type { Promotion } from './record.ts';
import * as repo from './repository.ts';

type Status = Promotion['status'];

/** What can be done in which status (storefront-domain 6.9). */
const steps: Readonly<Record<'activate' | 'pause' | 'archive', { from: readonly Status[]; to: Status }>> = {
  activate: { from: ['draft', 'paused'], to: 'active' },
  pause: { from: ['active'], to: 'paused' },
  archive: { from: ['draft', 'active', 'paused'], to: 'archived' },
};

/** Whether a step can be done in a status. */
export const may = (step: keyof typeof steps, status: Status): boolean => steps[step].from.includes(status);

async function step(
  ctx: Ctx,
  name: keyof typeof steps,
  id: string,
  condition: Condition,
): Promise<Promotion> {
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id, condition);
    const { from, to } = steps[name];
    if (!from.includes(before.status))
      throw refuse(
        'INVALID_TRANSITION',
        `promotion ${before.name} is ${before.status}; it must be ${from.join(' or ')} first`,
      );
    if (to === 'active') await requireComplete(ctx, before);
    if (to === 'archived') await repo.releaseCodes(ctx, id);
    return store(ctx, before, { ...before, status: to });
  });
}

/** Lets shoppers have it. @throws AppError CONFLICT, reason INVALID_TRANSITION; NOT_FOUND; PRECONDITION_FAILED */
export const activate = (ctx: Ctx, id: string, condition: Condition = {}): Promise<Promotion> =>
  step(ctx, 'activate', id, condition);

/** Stops it for the time being: carts lose it with their next look. @throws AppError as `activate` does */
export const pause = (ctx: Ctx, id: string, condition: Condition = {}): Promise<Promotion> =>
  step(ctx, 'pause', id, condition);

/** Ends it for good; its codes may be used by other promotions. @throws AppError as `activate` does */
export const archive = (ctx: Ctx, id: string, condition: Condition = {}): Promise<Promotion> =>
  step(ctx, 'archive', id, condition);

/**
 * Removes a promotion that no order has ever taken, with its codes; another one is archived.
 *
 * @throws AppError NOT_FOUND; PRECONDITION_FAILED
 */
export async function remove(
  ctx: Ctx,
  id: string,
  condition: Condition = {},
): Promise<{ readonly archived: boolean }> {
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id, condition);
    if (await repo.wasTaken(ctx, id)) {
      if (before.status !== 'archived') await archive(ctx, id);
      return { archived: true };
    }
    await repo.releaseCodes(ctx, id);
    await repo.deletePromotion(ctx, id);
    await promotionEvents.tell(ctx, 'promotion.deleted', id, toldOf(before), { before });
    return { archived: false };
  });
}

/** Copies a promotion as a draft: without its codes, which are taken, and without what was used. @throws AppError NOT_FOUND */
export async function duplicate(ctx: Ctx, id: string, name?: string): Promise<Promotion> {
  return ctx.tx(async (ctx) => {
    const original = await get(ctx, id);
    const now = ctx.now();
    const copy: Promotion = {
      ...original,
      id: ctx.newId(ids.promotion),
      name: name ?? `${original.name.slice(0, 90)} (copy)`,
      code: null,
      status: 'draft',
      usedCount: 0,
      lockedAt: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
    await insert(ctx, copy);
    return copy;
  });
}
