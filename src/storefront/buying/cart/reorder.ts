import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import type { OrderItem } from '#storefront/orders/orders/index.ts';
import { add, get } from './cart.ts';
import type { Owner } from './owner.ts';

/** What of an order went into the cart again, and what did not. */
export interface Reordered {
  readonly added: readonly { readonly title: string; readonly quantity: number }[];
  /** Sold out, not sold any more, or fewer than were ordered. */
  readonly missing: readonly { readonly title: string; readonly quantity: number }[];
}

const titleOf = ({ title, variantTitle }: OrderItem): string =>
  variantTitle === null ? title : `${title} (${variantTitle})`;

/**
 * Puts what was ordered once into somebody's cart, as far as it is still sold, at the prices of today. Gift cards are for
 * somebody, who has to be named again.
 */
export async function putAgain(ctx: Ctx, owner: Owner, items: readonly OrderItem[]): Promise<Reordered> {
  const added: { title: string; quantity: number }[] = [];
  const missing: { title: string; quantity: number }[] = [];
  for (const item of items) {
    const quantity = item.quantity - item.cancelledQuantity;
    if (quantity <= 0) continue;
    const got = item.giftCardData === null ? await putOne(ctx, owner, item.variantId, quantity) : 0;
    if (got > 0) added.push({ title: titleOf(item), quantity: got });
    if (got < quantity) missing.push({ title: titleOf(item), quantity: quantity - got });
  }
  return { added, missing };
}

/** @returns how many were put in */
async function putOne(ctx: Ctx, owner: Owner, variantId: string | null, quantity: number): Promise<number> {
  if (variantId === null) return 0;
  const { lines } = await get(ctx, owner);
  const before = lines.find(({ line }) => line.variantId === variantId)?.line.quantity ?? 0;
  try {
    const { result } = await add(ctx, owner, { variantId, quantity });
    return Math.max(0, Math.min(quantity, result.quantity - before));
  } catch (error) {
    // What is not sold any more, sold out, or one line too many.
    if (error instanceof AppError && error.status < 500) return 0;
    throw error;
  }
}
