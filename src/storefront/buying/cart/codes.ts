import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import type { Refusal } from '#storefront/pricing/engine/index.ts';
import { enteredBy } from '#storefront/pricing/promotions/index.ts';
import { changing } from './cart.ts';
import type { Owner } from './owner.ts';
import type { CartPrice } from './price.ts';
import { type Cart, type CartCode, MOST_CODES } from './record.ts';
import * as repo from './repository.ts';

/** What became of a code. */
export interface CodeResult {
  readonly code: string;
  readonly outcome: 'applied' | 'not_best' | 'not_combinable' | 'not_applicable';
  readonly refusal: Refusal | null;
}

const unknownCode = (code: string) =>
  fail('VALIDATION_ERROR', `${code} is not a valid code. Check its spelling and whether it has expired`, {
    details: {
      reason: 'PROMOTION_INVALID',
      issues: [{ path: 'code', rule: 'invalid', message: 'is not a valid code' }],
    },
  });

/** Id of what has a code; null for a code that nothing has. */
async function promotionWith(ctx: Ctx, codeNorm: string): Promise<string | null> {
  const { promotions, codes } = await enteredBy(ctx, [codeNorm]);
  const generated = codes.find((one) => normed(one.code) === codeNorm);
  return (
    generated?.promotionId ??
    promotions.find(({ code }) => code !== null && normed(code) === codeNorm)?.id ??
    null
  );
}

/**
 * Enters the code of a promotion. What it does follows from the cart, now and later: one that lowers nothing yet stays
 * entered, and is said not to apply.
 *
 * @throws AppError VALIDATION_ERROR, reason PROMOTION_INVALID, for a code that nothing has
 */
export async function enterCode(
  ctx: Ctx,
  owner: Owner,
  code: string,
): Promise<{ cart: CartPrice; result: CodeResult }> {
  const codeNorm = normed(code);
  const { cart } = await changing(ctx, owner, async (ctx, cart) => {
    const refId = await promotionWith(ctx, codeNorm);
    if (refId === null) throw unknownCode(code);
    await keepCode(ctx, cart, { kind: 'promotion', codeNorm, shown: code, refId });
  });
  return { cart, result: resultOf(cart, codeNorm, code) };
}

/** Stores a code behind those that the cart has. @throws AppError VALIDATION_ERROR when there is no room for it */
export async function keepCode(
  ctx: Ctx,
  { id: cartId }: Cart,
  code: Pick<CartCode, 'kind' | 'codeNorm' | 'shown' | 'refId'>,
): Promise<void> {
  const had = await repo.codesOf(ctx, cartId);
  const alike = had.filter(({ kind }) => kind === code.kind);
  if (alike.some(({ codeNorm }) => codeNorm === code.codeNorm)) return;
  if (alike.length >= MOST_CODES)
    throw fail(
      'VALIDATION_ERROR',
      code.kind === 'promotion'
        ? `a cart takes at most ${MOST_CODES} codes; remove one of them first`
        : `an order is paid with at most ${MOST_CODES} gift cards; remove one of them first`,
    );
  await repo.insertCode(ctx, {
    ...code,
    cartId,
    position: (had.at(-1)?.position ?? -1) + 1,
    createdAt: ctx.now(),
  });
}

function resultOf({ price }: CartPrice, codeNorm: string, code: string): CodeResult {
  if (price.applied.some((one) => one.code === codeNorm)) return { code, outcome: 'applied', refusal: null };
  const { refusal = null } = price.refused.find((one) => one.code === codeNorm) ?? {};
  const outcome =
    refusal?.reason === 'not_best' || refusal?.reason === 'not_combinable'
      ? refusal.reason
      : 'not_applicable';
  return { code, outcome, refusal };
}

/** Takes a code out again. @throws AppError NOT_FOUND for a code that the cart does not have */
export const removeCode = (ctx: Ctx, owner: Owner, code: string) =>
  changing(ctx, owner, async (ctx, { id }) => {
    if ((await repo.deleteCode(ctx, id, 'promotion', normed(code))) === 0)
      throw fail('NOT_FOUND', `the cart has no code ${code}`);
  });
