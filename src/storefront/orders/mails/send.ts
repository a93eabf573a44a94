import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { escapeHtml, queueMail } from '#platform/mail/index.ts';
import { addressLines, fullName } from '#storefront/contract/address.ts';
import { mailWords } from '#storefront/contract/mail-words.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { timezone } from '#storefront/contract/settings.ts';
import {
  accessUrl,
  type Order,
  type OrderAddress,
  type OrderItem,
  settlement,
  type WholeOrder,
  whole,
} from '../orders/index.ts';
import {
  orderCancelledMail,
  orderConfirmationMail,
  orderUpdatedMail,
  paymentLinkMail,
  paymentReceivedMail,
  refundIssuedMail,
  shipmentDeliveredMail,
  shipmentNotificationMail,
} from './mails.ts';

const money = ({ currency, locale }: Order, amountCents: number): string =>
  moneyWords({ amountCents, currency }, locale);

/** What is delivered is said when the mail is sent. */
const NO_BLOCKS = { licenses_html: '', downloads_html: '' };

/** To whom mails of an order go. */
const reader = ({ email }: Order, billing: OrderAddress | null) => {
  const name = billing ? fullName(billing) : '';
  return { address: email, name: name === '' ? null : name };
};

/** @param again what tells it from the first time, when staff send it once more */
const about = ({ id, locale }: Order, step: string, again?: string) => ({
  locale,
  dedupe: again === undefined ? `${id}:${step}` : `${id}:${step}:${again}`,
  related: { type: 'order', id },
});

/** What every mail of an order says: its number, and where it is shown. */
const named = async (ctx: Ctx, order: Order) => ({
  order_number: order.orderNumber ?? '',
  order_url: await accessUrl(ctx, order),
});

const nameOf = ({ title, variantTitle }: OrderItem): string =>
  variantTitle === null ? title : `${title} (${variantTitle})`;

const itemLine = (order: Order, item: OrderItem): string =>
  `<p>${escapeHtml(`${item.quantity} × ${nameOf(item)}: ${money(order, item.subtotalCents)}`)}</p>`;

/**
 * Confirms an order, in the transaction that places it: one confirmation for an order.
 *
 * @param seen the order with its parts, where they were read already
 * @returns id of the mail
 */
export async function mailConfirmation(
  ctx: Ctx,
  order: Order,
  again?: string,
  seen?: WholeOrder,
): Promise<string | null> {
  const { items, shipping, billing } = seen ?? (await whole(ctx, order));
  const isOpen = settlement(order) > 0 && order.refundedCents === 0;
  const off = order.itemDiscountCents + order.orderDiscountCents;
  return queueMail(ctx, orderConfirmationMail, {
    ...about(order, 'placed', again),
    to: reader(order, billing),
    values: {
      ...(await named(ctx, order)),
      items_html: items.map((item) => itemLine(order, item)).join(''),
      discount: off === 0 ? '' : money(order, -off),
      shipping:
        order.shippingMethodName === null
          ? ''
          : money(order, order.shippingCents - order.shippingDiscountCents),
      tax: order.taxCents === 0 ? '' : money(order, order.taxCents),
      total: money(order, order.totalCents),
      address_html: shipping ? addressLines(shipping, order.locale).map(escapeHtml).join('<br>') : '',
      instructions: (isOpen && ctx.settings.get(offlineInstructions)) || '',
      ...NO_BLOCKS,
    },
  });
}

/** Says that the money of an order has arrived, which it was placed without. */
export async function mailPaymentReceived(ctx: Ctx, order: Order, again?: string): Promise<string | null> {
  return queueMail(ctx, paymentReceivedMail, {
    ...about(order, 'paid', again),
    to: reader(order, null),
    values: { ...(await named(ctx, order)), total: money(order, order.totalCents), ...NO_BLOCKS },
  });
}

/** A parcel that has left. */
export interface Left {
  readonly id: string;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly trackingUrl: string | null;
  readonly items: readonly { readonly orderItemId: string; readonly quantity: number }[];
}

/** Says what has left, and how to follow it: once for a parcel. */
export async function mailShipment(
  ctx: Ctx,
  order: Order,
  parcel: Left,
  again?: string,
): Promise<string | null> {
  const { items, billing } = await whole(ctx, order);
  const lines = items.flatMap((item) => {
    const { quantity = 0 } = parcel.items.find(({ orderItemId }) => orderItemId === item.id) ?? {};
    return quantity === 0 ? [] : [`<p>${escapeHtml(`${quantity} × ${nameOf(item)}`)}</p>`];
  });
  return queueMail(ctx, shipmentNotificationMail, {
    ...about(order, parcel.id, again),
    to: reader(order, billing),
    values: {
      ...(await named(ctx, order)),
      carrier: parcel.carrier ?? '',
      tracking_number: parcel.trackingNumber ?? '',
      tracking_url: parcel.trackingUrl ?? '',
      items_html: lines.join(''),
    },
  });
}

/** Says that a parcel has arrived: once for a parcel. */
export async function mailDelivered(ctx: Ctx, order: Order, { id }: { readonly id: string }): Promise<void> {
  await queueMail(ctx, shipmentDeliveredMail, {
    ...about(order, `delivered:${id}`),
    to: reader(order, null),
    values: await named(ctx, order),
  });
}

/** How the money of a refund reaches the customer: by the processor, paid back by staff, or on a gift card. */
export type RefundWay = 'bank' | 'by_hand' | 'gift_card';

/** Says that money goes back, and how it arrives: once for a refund. */
export async function mailRefund(
  ctx: Ctx,
  order: Order,
  refund: { readonly id: string; readonly amountCents: number; readonly way: RefundWay },
  again?: string,
): Promise<string | null> {
  const t = await mailWords(ctx, order.locale);
  return queueMail(ctx, refundIssuedMail, {
    ...about(order, refund.id, again),
    to: reader(order, null),
    values: {
      ...(await named(ctx, order)),
      amount: money(order, refund.amountCents),
      arrival: t(`order.refund_way_${refund.way}`),
    },
  });
}

/** Says that an order was cancelled. */
export async function mailCancelled(ctx: Ctx, order: Order, again?: string): Promise<string | null> {
  return queueMail(ctx, orderCancelledMail, {
    ...about(order, 'cancelled', again),
    to: reader(order, null),
    values: { ...(await named(ctx, order)), total: money(order, order.totalCents) },
  });
}

/** A link with which an order is paid. */
export interface PaymentLink {
  /** To whom it goes. */
  readonly email: string;
  readonly url: string;
  /** ISO time. */
  readonly expiresAt: string;
  /** What only this link has: each is mailed once. */
  readonly mark: string;
}

/** Sends the link with which an order is paid. */
export async function mailPaymentLink(ctx: Ctx, order: Order, link: PaymentLink): Promise<void> {
  const until = new Intl.DateTimeFormat(order.locale, {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: ctx.settings.get(timezone),
  });
  await queueMail(ctx, paymentLinkMail, {
    ...about(order, `link:${link.mark}`),
    to: { address: link.email, name: null },
    values: {
      order_number: order.orderNumber ?? '',
      total: money(order, settlement(order)),
      payment_url: link.url,
      expires_at: until.format(Date.parse(link.expiresAt)),
    },
  });
}

/** Says that staff changed what stands in an order, and what it costs now. */
export async function mailUpdated(ctx: Ctx, order: Order): Promise<void> {
  const { items } = await whole(ctx, order);
  const due = settlement(order);
  await queueMail(ctx, orderUpdatedMail, {
    ...about(order, `updated:${order.version}`),
    to: reader(order, null),
    values: {
      ...(await named(ctx, order)),
      items_html: items.map((item) => itemLine(order, item)).join(''),
      total: money(order, order.totalCents),
      due: due > 0 ? money(order, due) : '',
      credit: due < 0 ? money(order, -due) : '',
    },
  });
}
