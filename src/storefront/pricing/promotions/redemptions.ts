import type { Ctx } from '#kernel/context.ts';
import { conflict, fail } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { usesBy } from './queries.ts';
import type { Promotion, Redemption } from './record.ts';
import * as repo from './repository.ts';

/** What an order takes of a promotion: an amount above 0. */
export interface Use {
  readonly promotionId: string;
  /** The generated code that opened it. */
  readonly codeId: string | null;
  readonly amountCents: number;
}

/** Whose order it is. */
export interface Redeemer {
  readonly orderId: string;
  readonly customerId: string | null;
  /** In lower case; guests have one, too. */
  readonly emailNorm: string;
}

/** A promotion that cannot be taken any more: the order is priced again without it. */
const exhausted = (promotionId: string, what: string) =>
  fail('VALIDATION_ERROR', what, {
    details: { reason: 'PROMOTION_EXHAUSTED', promotion_id: promotionId },
  });

/**
 * Takes a use of each promotion for an order, in the transaction that places it: each counter is raised by one conditional
 * UPDATE, in the order of the ids (storefront-domain 8.4d).
 *
 * @throws AppError VALIDATION_ERROR, reason PROMOTION_EXHAUSTED; CONFLICT when the order holds the promotion already
 */
export async function take(ctx: Ctx, by: Redeemer, uses: readonly Use[]): Promise<Redemption[]> {
  return ctx.tx(async (ctx) => {
    const had = new Map((await repo.redemptionsOf(ctx, by.orderId)).map((one) => [one.promotionId, one]));
    const sorted = uses.toSorted((one, other) => (one.promotionId < other.promotionId ? -1 : 1));
    const held: Redemption[] = [];
    for (const use of sorted) {
      await takeOne(ctx, by, use);
      held.push(await hold(ctx, by, use, had.get(use.promotionId)));
    }
    return held;
  });
}

async function takeOne(ctx: Ctx, by: Redeemer, { promotionId, codeId }: Use): Promise<void> {
  const promotion = await repo.takeUse(ctx, promotionId);
  if (!promotion) throw exhausted(promotionId, 'the promotion is used up, paused or expired');
  if (codeId !== null && !(await repo.takeCodeUse(ctx, promotionId, codeId)))
    throw exhausted(promotionId, `the code of ${promotion.name} is used up, disabled or expired`);
  await requireBelowLimit(ctx, by, promotion);
}

/** The row of the promotion is held by its UPDATE: nobody else counts in the meantime. */
async function requireBelowLimit(ctx: Ctx, by: Redeemer, { id, name, usageLimitPerCustomer }: Promotion) {
  if (usageLimitPerCustomer === null) return;
  const uses = (await usesBy(ctx, [id], by)).get(id) ?? 0;
  if (uses >= usageLimitPerCustomer) throw exhausted(id, `${name} has reached its limit per customer`);
}

async function hold(
  ctx: Ctx,
  { orderId, customerId, emailNorm }: Redeemer,
  { promotionId, codeId, amountCents }: Use,
  before: Redemption | undefined,
): Promise<Redemption> {
  const now = ctx.now();
  const one: Redemption = {
    id: before?.id ?? ctx.newId(ids.promotionRedemption),
    promotionId,
    codeId,
    orderId,
    customerId,
    emailNorm,
    amountCents,
    status: 'held',
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  if (!before) await repo.insertRedemption(ctx, one);
  else if ((await repo.holdAgain(ctx, one)) === 0)
    throw conflict(`the order ${orderId} holds the promotion ${promotionId} already`);
  return one;
}

/** What an order held is used, in the transaction that settles it. @returns how many this call has settled */
export const use = (ctx: Ctx, orderId: string): Promise<number> =>
  ctx.tx((ctx) => repo.useOfOrder(ctx, orderId));

/**
 * Gives back what an order has taken, in the transaction that ends it before it is completed. Refunds and returns give
 * nothing back.
 *
 * @returns those that this call has given back: each goes back once
 */
export async function release(ctx: Ctx, orderId: string): Promise<Redemption[]> {
  return ctx.tx(async (ctx) => {
    const rows = await repo.releaseOfOrder(ctx, orderId);
    const sorted = rows.toSorted((one, other) => (one.promotionId < other.promotionId ? -1 : 1));
    for (const { promotionId, codeId } of sorted) {
      await repo.giveUse(ctx, promotionId);
      if (codeId !== null) await repo.giveCodeUse(ctx, codeId);
    }
    return sorted;
  });
}
