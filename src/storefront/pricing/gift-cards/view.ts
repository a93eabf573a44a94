import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type EntryOf, orderNumbersOf } from './queries.ts';
import { ENTRY_TYPES, type GiftCard, STATUSES } from './record.ts';
import { freeCents } from './rules.ts';

/** A gift card as staff see it, never with its code. */
export const GiftCardView = later(() =>
  z
    .object({
      id: z.string(),
      last4: z.string(),
      status: z.enum(STATUSES),
      initial_cents: count(),
      balance_cents: count(),
      /** Of the balance: held for orders that are not paid yet. */
      held_cents: count(),
      free_cents: count(),
      currency: z.string(),
      expires_at: instant().nullable(),
      recipient_email: z.string().nullable(),
      recipient_name: z.string().nullable(),
      message: z.string().nullable(),
      /** Of the purchase; null for a card that staff issued. */
      order_number: z.string().nullable(),
      order_item_id: z.string().nullable(),
      send_at: instant().nullable(),
      delivered_at: instant().nullable(),
      note: z.string().nullable(),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'GiftCard' }),
);

/** A change of a balance. */
export const GiftCardEntryView = later(() =>
  z
    .object({
      id: z.string(),
      delta_cents: z.int(),
      balance_after_cents: count(),
      currency: z.string(),
      type: z.enum(ENTRY_TYPES),
      order_number: z.string().nullable(),
      order_id: z.string().nullable(),
      refund_id: z.string().nullable(),
      /** Who did it, by name. */
      actor: z.string(),
      note: z.string().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'GiftCardEntry' }),
);

/** Cards as staff see them: one question for all of them. */
export async function giftCardViews(
  cards: readonly GiftCard[],
  ctx: Ctx,
): Promise<z.output<typeof GiftCardView>[]> {
  const items = cards.flatMap(({ orderItemId }) => orderItemId ?? []);
  const numbers = await orderNumbersOf(ctx, items);
  return cards.map((card) => plain(card, numbers.get(card.orderItemId ?? '') ?? null));
}

const plain = (card: GiftCard, orderNumber: string | null): z.output<typeof GiftCardView> => ({
  id: card.id,
  last4: card.last4,
  status: card.status,
  initial_cents: card.initialCents,
  balance_cents: card.balanceCents,
  held_cents: card.heldCents,
  free_cents: freeCents(card),
  currency: card.currency,
  expires_at: card.expiresAt,
  recipient_email: card.recipientEmail,
  recipient_name: card.recipientName,
  message: card.message,
  order_number: orderNumber,
  order_item_id: card.orderItemId,
  send_at: card.sendAt,
  delivered_at: card.deliveredAt,
  note: card.note,
  created_at: card.createdAt,
  updated_at: card.updatedAt,
});

export const giftCardEntryView = (entry: EntryOf): z.output<typeof GiftCardEntryView> => ({
  id: entry.id,
  delta_cents: entry.deltaCents,
  balance_after_cents: entry.balanceAfterCents,
  currency: entry.currency,
  type: entry.type,
  order_number: entry.orderNumber,
  order_id: entry.orderId,
  refund_id: entry.refundId,
  actor: entry.actor,
  note: entry.note,
  created_at: entry.createdAt,
});
