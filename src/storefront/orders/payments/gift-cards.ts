import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import * as giftCards from '#storefront/pricing/gift-cards/index.ts';
import type { Payment } from './record.ts';
import * as repo from './repository.ts';

/** What a gift card pays of an order. */
export interface Share {
  readonly giftCardId: string;
  readonly last4: string;
  readonly amountCents: number;
}

/** An empty payment of an order. */
export function newPayment(
  ctx: Ctx,
  facts: Pick<Payment, 'orderId' | 'processor' | 'kind' | 'amountCents' | 'currency'> & Partial<Payment>,
): Payment {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.payment),
    methodLabel: null,
    status: 'created',
    authorizedCents: 0,
    capturedCents: 0,
    refundedCents: 0,
    transactionId: null,
    sourceHash: null,
    giftCardId: null,
    fingerprint: null,
    country: null,
    nextAction: null,
    errorCode: null,
    errorMessage: null,
    raw: null,
    expiresAt: null,
    receivedAt: null,
    ...facts,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Holds what gift cards pay of an order, in the order of their ids; each hold is a payment that is authorised.
 *
 * @throws AppError VALIDATION_ERROR, reason GIFT_CARD_EMPTY or GIFT_CARD_INVALID
 */
export async function holdCards(
  ctx: Ctx,
  { orderId, currency }: { readonly orderId: string; readonly currency: string },
  shares: readonly Share[],
): Promise<void> {
  const sorted = shares.toSorted((one, other) => (one.giftCardId < other.giftCardId ? -1 : 1));
  for (const { giftCardId, last4, amountCents } of sorted) {
    await giftCards.hold(ctx, { giftCardId, orderId, amountCents });
    await repo.insertPayment(
      ctx,
      newPayment(ctx, {
        orderId,
        processor: 'gift_card',
        kind: 'gift_card',
        amountCents,
        currency,
        status: 'authorized',
        authorizedCents: amountCents,
        giftCardId,
        methodLabel: `Gift card •••• ${last4}`,
      }),
    );
  }
}

/** The gift cards that an order holds, by the id of the card. */
const heldBy = async (ctx: Ctx, orderId: string): Promise<(Payment & { giftCardId: string })[]> =>
  (await repo.paymentsOf(ctx, orderId))
    .flatMap((one) =>
      one.giftCardId !== null && one.status === 'authorized' ? [{ ...one, giftCardId: one.giftCardId }] : [],
    )
    .toSorted((one, other) => (one.giftCardId < other.giftCardId ? -1 : 1));

/** Spends what an order holds of gift cards. @returns what they have paid */
export async function spendHeld(ctx: Ctx, orderId: string): Promise<number> {
  let spent = 0;
  for (const held of await heldBy(ctx, orderId)) {
    const { giftCardId, amountCents } = held;
    const transactionId = await giftCards.spend(ctx, { giftCardId, orderId, amountCents });
    const after = { ...held, status: 'captured', capturedCents: amountCents, transactionId } as const;
    await repo.updatePayment(ctx, { ...after, updatedAt: ctx.now() }, 'authorized');
    spent += amountCents;
  }
  return spent;
}

/** Gives back what an order holds of gift cards without having spent it. */
export async function releaseHeld(ctx: Ctx, orderId: string): Promise<void> {
  for (const held of await heldBy(ctx, orderId)) {
    const { giftCardId, amountCents } = held;
    await giftCards.giveBack(ctx, { giftCardId, orderId, amountCents });
    await repo.updatePayment(ctx, { ...held, status: 'voided', updatedAt: ctx.now() }, 'authorized');
  }
}
