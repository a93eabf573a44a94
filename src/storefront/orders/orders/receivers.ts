import type { Ctx } from '#kernel/context.ts';
import { deliveredOf } from './delivered.ts';
import { moneyTold, type ToldPayment, type ToldRefund } from './queries.ts';
import type { Order } from './record.ts';
import { type OrderShown, orderView } from './view.ts';
import { whole } from './whole.ts';

/** An order as the receivers of webhooks get it: as staff see it, without secrets and payment tokens (storefront-domain 18). */
export type OrderForReceivers = OrderShown & {
  readonly customer_id: string | null;
  readonly shipping_method_id: string | null;
  readonly internal_note: string | null;
  readonly tags: readonly string[];
  readonly hold_reason: string | null;
  readonly risk_level: string;
  readonly review: string | null;
  readonly payments: readonly ToldPayment[];
  readonly refunds: readonly ToldRefund[];
};

/** Read in the transaction of the event, and only when somebody wants it. */
export const orderForReceivers = async (ctx: Ctx, order: Order): Promise<OrderForReceivers> => ({
  ...orderView(await whole(ctx, order), await deliveredOf(ctx, order)),
  customer_id: order.customerId,
  shipping_method_id: order.shippingMethodId,
  internal_note: order.internalNote,
  tags: [...order.tags],
  hold_reason: order.holdReason,
  risk_level: order.risk?.level ?? 'low',
  review: order.review,
  ...(await moneyTold(ctx, order)),
});
