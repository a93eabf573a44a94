import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import type { Refusal } from '#storefront/pricing/engine/index.ts';
import type { GiftCard } from '#storefront/pricing/gift-cards/index.ts';
import { enteredBy } from '#storefront/pricing/promotions/index.ts';
import { changing } from './cart.ts';
import { usableCard } from './gift-cards.ts';
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
  fail('VALIDATION_ERROR', `${code} is not a valid code. Check the spelling, or whether it has expired`, {
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
 * Enters a code: of a promotion, or of a gift card, which shoppers need not tell apart. What a promotion does follows from
 * the cart, now and later: one that lowers nothing yet stays entered, and is said not to apply.
 *
 * @throws AppError VALIDATION_ERROR, reason PROMOTION_INVALID for a code that nothing has; GIFT_CARD_EMPTY
 */
export async function enterCode(
  ctx: Ctx,
  owner: Owner,
  code: string,
): Promise<{ cart: CartPrice; result: CodeResult }> {
  const codeNorm = normed(code);
  const { cart, result: isPromotion } = await changing(ctx, owner, async (ctx, cart) => {
    const refId = await promotionWith(ctx, codeNorm);
    if (refId !== null) await keepCode(ctx, cart, { kind: 'promotion', codeNorm, shown: code, refId });
    else await keepCard(ctx, cart, await cardOrUnknown(ctx, cart, code));
    return refId !== null;
  });
  const result: CodeResult = isPromotion
    ? resultOf(cart, codeNorm, code)
    : { code, outcome: 'applied', refusal: null };
  return { cart, result };
}

async function cardOrUnknown(ctx: Ctx, { currency }: Cart, code: string) {
  try {
    return await usableCard(ctx, currency, code);
  } catch (error) {
    const isUnknown = error instanceof AppError && error.details.reason === 'GIFT_CARD_INVALID';
    throw isUnknown ? unknownCode(code) : error;
  }
}

const keepCard = (ctx: Ctx, cart: Cart, { id, last4 }: GiftCard): Promise<void> =>
  keepCode(ctx, cart, { kind: 'gift_card', codeNorm: id, shown: last4, refId: id });

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
        ? `a cart can have at most ${MOST_CODES} codes; remove one of them first`
        : `an order can use at most ${MOST_CODES} gift cards; remove one of them first`,
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

/**
 * Attaches a gift card: it pays as much as it can of what is due.
 *
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_INVALID or GIFT_CARD_EMPTY
 */
export async function attachGiftCard(ctx: Ctx, owner: Owner, code: string) {
  return changing(ctx, owner, async (ctx, cart) => {
    const card = await usableCard(ctx, cart.currency, code);
    await keepCard(ctx, cart, card);
    return card;
  });
}

/** Detaches a gift card. @throws AppError NOT_FOUND for one that the cart does not have */
export const detachGiftCard = (ctx: Ctx, owner: Owner, giftCardId: string) =>
  changing(ctx, owner, async (ctx, { id }) => {
    if ((await repo.deleteCode(ctx, id, 'gift_card', giftCardId)) === 0)
      throw fail('NOT_FOUND', `the cart has no gift card ${giftCardId}`);
  });

/** Takes a code out again. @throws AppError NOT_FOUND for a code that the cart does not have */
export const removeCode = (ctx: Ctx, owner: Owner, code: string) =>
  changing(ctx, owner, async (ctx, { id }) => {
    if ((await repo.deleteCode(ctx, id, 'promotion', normed(code))) === 0)
      throw fail('NOT_FOUND', `the cart has no code ${code}`);
  });
