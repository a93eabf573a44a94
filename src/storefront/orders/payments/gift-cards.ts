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
    dispute: null,
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

type OfCard = Payment & { giftCardId: string };

/** The gift cards that an order holds, by the id of the card. */
const heldOf = (payments: readonly Payment[]): OfCard[] =>
  payments
    .flatMap((one) =>
      one.giftCardId !== null && one.status === 'authorized' ? [{ ...one, giftCardId: one.giftCardId }] : [],
    )
    .toSorted((one, other) => (one.giftCardId < other.giftCardId ? -1 : 1));

/** Spends what an order holds of gift cards. @returns all payments of the order, as they are then */
export async function spendHeld(ctx: Ctx, orderId: string): Promise<Payment[]> {
  const payments = await repo.paymentsOf(ctx, orderId);
  const spent = new Map<string, Payment>();
  for (const held of heldOf(payments)) {
    const { giftCardId, amountCents } = held;
    const transactionId = await giftCards.spend(ctx, { giftCardId, orderId, amountCents });
    const captured = { ...held, status: 'captured', capturedCents: amountCents, transactionId } as const;
    const after = { ...captured, updatedAt: ctx.now() };
    await repo.updatePayment(ctx, after, 'authorized');
    spent.set(held.id, after);
  }
  return payments.map((one) => spent.get(one.id) ?? one);
}

/** Gives back what an order holds of gift cards without having spent it. */
export async function releaseHeld(ctx: Ctx, orderId: string): Promise<void> {
  for (const held of heldOf(await repo.paymentsOf(ctx, orderId))) {
    const { giftCardId, amountCents } = held;
    await giftCards.giveBack(ctx, { giftCardId, orderId, amountCents });
    await repo.updatePayment(ctx, { ...held, status: 'voided', updatedAt: ctx.now() }, 'authorized');
  }
}
