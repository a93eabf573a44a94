import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { returnReasonEvents } from './events.ts';
import type { ReturnReason } from './record.ts';
import * as repo from './repository.ts';

/** What staff say of a reason. */
export type ReasonInput = Pick<ReturnReason, 'label'> & {
  readonly [K in 'requiresNote' | 'requiresPhoto' | 'isActive']?: boolean | undefined;
};

const missing = (id: string) => fail('NOT_FOUND', `return reason ${id} does not exist`);

/** Reasons that customers can choose, in the order of the list. */
export const offeredReasons = async (ctx: Ctx): Promise<ReturnReason[]> =>
  (await repo.listReasons(ctx)).filter(({ isActive }) => isActive);

/** Adds a reason at the end of the list. */
export const createReason = (ctx: Ctx, input: ReasonInput): Promise<ReturnReason> =>
  ctx.tx(async (ctx) => {
    const now = ctx.now();
    const last = (await repo.listReasons(ctx)).at(-1);
    const one: ReturnReason = {
      id: ctx.newId(ids.returnReason),
      label: input.label,
      code: null,
      requiresNote: input.requiresNote ?? false,
      requiresPhoto: input.requiresPhoto ?? false,
      isActive: input.isActive ?? true,
      position: last ? last.position + 1 : 0,
      createdAt: now,
      updatedAt: now,
    };
    await repo.insertReason(ctx, one);
    await returnReasonEvents.tell(ctx, 'return_reason.created', one.id, { label: one.label }, { after: one });
    return one;
  });

type ReasonChange = {
  readonly [K in 'label' | 'requiresNote' | 'requiresPhoto' | 'isActive' | 'position']?:
    | ReturnReason[K]
    | undefined;
};

/** Changes a reason; with another label it is the shop's own. @throws AppError NOT_FOUND */
export const changeReason = (ctx: Ctx, id: string, change: ReasonChange): Promise<ReturnReason> =>
  ctx.tx(async (ctx) => {
    const before = await repo.lockReason(ctx, id);
    if (!before) throw missing(id);
    const label = change.label ?? before.label;
    const after: ReturnReason = {
      ...before,
      label,
      code: label === before.label ? before.code : null,
      requiresNote: change.requiresNote ?? before.requiresNote,
      requiresPhoto: change.requiresPhoto ?? before.requiresPhoto,
      isActive: change.isActive ?? before.isActive,
      position: change.position ?? before.position,
      updatedAt: ctx.now(),
    };
    await repo.updateReason(ctx, after);
    await returnReasonEvents.tell(ctx, 'return_reason.updated', id, { label }, { before, after });
    return after;
  });

/** Removes a reason; one that a return names stays, and is not offered any more. @throws AppError NOT_FOUND */
export const removeReason = (ctx: Ctx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await repo.lockReason(ctx, id);
    if (!before) throw missing(id);
    if (await repo.isReasonUsed(ctx, id)) {
      await changeReason(ctx, id, { isActive: false });
      return;
    }
    await repo.deleteReason(ctx, id);
    await returnReasonEvents.tell(ctx, 'return_reason.deleted', id, { label: before.label }, { before });
  });
