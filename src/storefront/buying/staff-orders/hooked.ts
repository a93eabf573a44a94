import type { Ctx } from '#kernel/context.ts';
import { integer } from '#kernel/http/fields.ts';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { addressOf } from '#storefront/contract/address.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import type { CartPrice } from '../cart/index.ts';
import { beforeCreate } from '../checkout/index.ts';
import type { LinesChange } from './lines.ts';
import { type Draftable, priced } from './priced.ts';

const changes = () => ({ shipping_cents: integer(0, MAX_AMOUNT_CENTS) });

interface Edit extends LinesChange {
  readonly shippingCents?: number | undefined;
  readonly settle?: string | undefined;
}

/** An edit of staff once the operator's hooks were asked. @throws as `orders.beforeUpdate` */
export async function hookedEdit<E extends Edit>(ctx: Ctx, idOrNumber: string, input: E): Promise<E> {
  const sent = { ...linesSent(input), shipping_cents: input.shippingCents, settle: input.settle ?? 'none' };
  const changed = await orders.beforeUpdate(ctx, idOrNumber, { action: 'edit', sent, changes });
  return changed ? { ...input, shippingCents: changed.shipping_cents as number } : input;
}

const linesSent = ({ add, update, remove }: LinesChange) => ({
  add: add?.map(({ variantId, quantity, unitCents }) => ({
    variant_id: variantId,
    quantity,
    unit_cents: unitCents,
  })),
  update: update?.map(({ orderItemId, quantity, unitCents }) => ({
    order_item_id: orderItemId,
    quantity,
    unit_cents: unitCents,
  })),
  remove,
});

/** A draft that is about to be placed, once the operator's hooks were asked, and what it costs. */
export async function hookedDraft(
  ctx: Ctx,
  one: Draftable,
  order: orders.Order,
  payment: 'link' | 'offline',
): Promise<{ readonly one: Draftable; readonly price: CartPrice }> {
  const price = await priced(ctx, one);
  const source = order.source === 'api' ? 'api' : 'admin';
  const processor = payment === 'offline' ? 'offline' : null;
  // A draft that is made and placed at once has another id each time that its transaction is repeated.
  const changes = await beforeCreate(ctx, 'draft', price, { source, processor });
  if (!changes) return { one, price };
  const { shipping_address: shipping, billing_address: billing, email, phone, note } = changes;
  const changed: Draftable = {
    ...one,
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(note !== undefined && { note }),
    ...(shipping && { shipping: addressOf(shipping, 'shipping_address') }),
    ...(billing !== undefined && { billing: billing && addressOf(billing, 'billing_address') }),
  };
  return { one: changed, price: await priced(ctx, changed) };
}
