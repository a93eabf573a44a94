import type { Ctx } from '#kernel/context.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { ids } from '#storefront/contract/ids.ts';
import { hashOf, newCode, sealed, shownCode } from './code.ts';
import { deliver, hasReader, isDue } from './delivery.ts';
import { giftCardEvents } from './events.ts';
import { lock, nameOf, refuse, requireFuture, store, toldOf, usualExpiry } from './gift-cards.ts';
import { noteEntry } from './ledger.ts';
import type { GiftCard } from './record.ts';
import * as repo from './repository.ts';
import { isUnused, isWithdrawn } from './rules.ts';

/** What a card is issued with. */
export interface Issue {
  readonly amountCents: number;
  readonly currency: string;
  /** `pending`: it cannot be used before it was delivered. */
  readonly state: 'pending' | 'active';
  /** The order item that it was bought with. */
  readonly orderItemId?: string | null | undefined;
  readonly purchaserCustomerId?: string | null | undefined;
  readonly ownerCustomerId?: string | null | undefined;
  readonly recipientEmail?: string | null | undefined;
  readonly recipientName?: string | null | undefined;
  readonly senderName?: string | null | undefined;
  readonly message?: string | null | undefined;
  /** Language of the mail. */
  readonly locale?: string | null | undefined;
  /** When it is delivered; at once when absent. */
  readonly sendAt?: string | null | undefined;
  /** null: never; by the setting when absent. */
  readonly expiresAt?: string | null | undefined;
  readonly note?: string | null | undefined;
  /** What its first row in the ledger names: the refund that it is. */
  readonly orderId?: string | null | undefined;
  readonly refundId?: string | null | undefined;
}

export interface Issued {
  readonly card: GiftCard;
  /** In groups of four: this is the only time that it can be shown. */
  readonly code: string;
}

/**
 * Issues a card (storefront-domain 6.8). Its code is answered this once; of a pending card it is kept sealed until it is
 * delivered: at once, unless it has a time for it.
 *
 * @throws AppError VALIDATION_ERROR for an amount that no card can have and an expiry in the past
 */
export async function issue(ctx: Ctx, input: Issue): Promise<Issued> {
  const { amountCents, state, orderId = null, refundId = null } = input;
  if (!Number.isSafeInteger(amountCents) || amountCents < 1 || amountCents > MAX_AMOUNT_CENTS)
    throw invalidField('amount_cents', `must be from 1 to ${MAX_AMOUNT_CENTS}`);
  requireFuture(ctx, input.expiresAt);
  return ctx.tx(async (ctx) => {
    const norm = newCode();
    const card = cardOf(ctx, input, norm.slice(-4));
    const codeSealed = state === 'pending' ? sealed(ctx, card.id, norm) : null;
    await repo.insertCard(ctx, card, { codeHash: hashOf(ctx, norm), codeSealed });
    await noteEntry(ctx, card, {
      type: 'issue',
      deltaCents: amountCents,
      orderId,
      refundId,
      note: card.note,
    });
    const told = { ...toldOf(card), amountCents };
    await giftCardEvents.tell(ctx, 'gift_card.issued', card.id, told, { after: card });
    const isSent = isDue(card, ctx.now()) && hasReader(card);
    return { card: isSent ? await deliver(ctx, card, norm) : card, code: shownCode(norm) };
  });
}

function cardOf(ctx: Ctx, input: Issue, last4: string): GiftCard {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.giftCard),
    last4,
    currency: input.currency,
    initialCents: input.amountCents,
    balanceCents: input.amountCents,
    heldCents: 0,
    status: input.state,
    expiresAt: input.expiresAt === undefined ? usualExpiry(ctx) : input.expiresAt,
    orderItemId: input.orderItemId ?? null,
    purchaserCustomerId: input.purchaserCustomerId ?? null,
    ownerCustomerId: input.ownerCustomerId ?? null,
    recipientEmail: input.recipientEmail ?? null,
    recipientName: input.recipientName || null,
    senderName: input.senderName || null,
    message: input.message || null,
    locale: input.locale || null,
    sendAt: input.sendAt ?? null,
    deliveredAt: null,
    note: input.note || null,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Takes back a card whose purchase is refunded: its balance goes, and it is disabled. One that staff disabled is taken back
 * as well: it could be enabled again.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, when some of it is spent or held: then the purchase
 *   cannot be refunded
 */
export async function withdraw(
  ctx: Ctx,
  { giftCardId, orderId, refundId }: { giftCardId: string; orderId: string; refundId?: string | null },
): Promise<GiftCard> {
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, giftCardId);
    const { status, balanceCents } = before;
    if (status === 'expired' || isWithdrawn(before))
      throw refuse(`${nameOf(before)} is ${status}; only active and pending cards can be refunded`);
    if (!isUnused(before))
      throw refuse(`some of the ${nameOf(before)} has been used, so its purchase cannot be refunded`);
    const after = await store(ctx, { ...before, balanceCents: 0, status: 'disabled' });
    const deltaCents = -balanceCents;
    await noteEntry(ctx, after, { type: 'reverse', deltaCents, orderId, refundId: refundId ?? null });
    const told = { ...toldOf(after), deltaCents };
    await giftCardEvents.tell(ctx, 'gift_card.withdrawn', giftCardId, told, { before, after });
    return after;
  });
}

/**
 * Gives back to a card what `withdraw` took: the refund of its purchase was refused after all.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason INVALID_TRANSITION, for a card that was not taken back
 */
export async function reinstate(
  ctx: Ctx,
  { giftCardId, orderId, refundId }: { giftCardId: string; orderId: string; refundId: string },
): Promise<GiftCard> {
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, giftCardId);
    if (!isWithdrawn(before)) throw refuse(`${nameOf(before)} was not taken back`);
    const balanceCents = before.initialCents;
    // One that was never delivered waits for its time, or is sent by the next run of the job.
    const status = before.deliveredAt === null ? 'pending' : 'active';
    const after = await store(ctx, { ...before, balanceCents, status });
    await noteEntry(ctx, after, { type: 'reverse', deltaCents: balanceCents, orderId, refundId });
    const told = { ...toldOf(after), deltaCents: balanceCents };
    await giftCardEvents.tell(ctx, 'gift_card.reinstated', giftCardId, told, { before, after });
    return after;
  });
}

/** @throws AppError VALIDATION_ERROR for an address that no mail can be sent to */
export function requireReader(recipientEmail: string | null | undefined): void {
  if (!hasReader({ recipientEmail: recipientEmail ?? null }))
    throw invalidField('recipient_email', 'must be a valid email address, such as ann@example.com');
}
