import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { wordsOf } from '#storefront/tools/shop/index.ts';
import { renewalFor } from '../renewals/index.ts';
import type { OwnLicense } from './owned.ts';

/**
 * Puts the renewal of a license into the cart of its owner, once however often it is asked for; two periods are twice the
 * quantity in the cart (decision 0104).
 *
 * @param lang of the line, where the page has another language than the browser asks for
 * @returns the line, and how many units it has now
 * @throws AppError VALIDATION_ERROR, reason NOT_RENEWABLE, for a license that cannot be renewed; as `carts.add`
 */
export async function renewInCart(
  ctx: Ctx,
  visitor: Visitor,
  { card }: OwnLicense,
  lang?: string,
): Promise<{ readonly itemId: string; readonly quantity: number }> {
  const { t } = await wordsOf(ctx, visitor, lang);
  const renewal = await renewalFor(ctx, card.id, (key) => t('license.renewal_of', { key }));
  const { result } = await carts.add(ctx, carts.ownerOf(visitor), { ...renewal, isOnce: true });
  return result;
}
