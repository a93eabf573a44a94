import type { Ctx } from '#kernel/context.ts';
import { addressLines } from '#storefront/contract/address.ts';
import { timezone } from '#storefront/contract/settings.ts';
import type {
  GiftData,
  Order,
  OrderAddress,
  OrderEvent,
  OrderItem,
  Parcel,
} from '#storefront/orders/orders/index.ts';
import type { ShopperOrder } from '#storefront/orders/shopper-orders/index.ts';
import { stepView } from '#storefront/orders/shopper-orders/view.ts';
import type { ShopWords } from '../shop/index.ts';
import { orderSum } from './summary.ts';

/** A time as `<time>` shows it: for programs, and in the time zone of the shop. */
export interface TimeShown {
  readonly iso: string;
  readonly words: string;
}

/** Says times in the time zone of the shop. */
export const timeIn = (ctx: Ctx, { lang }: ShopWords, style: 'day' | 'minute') => {
  const format = new Intl.DateTimeFormat(lang, {
    dateStyle: 'long',
    ...(style === 'minute' && { timeStyle: 'short' }),
    timeZone: ctx.settings.get(timezone),
  });
  return (iso: string): TimeShown => ({ iso, words: format.format(new Date(iso)) });
};

const titleOf = ({ title, variantTitle }: OrderItem): string =>
  variantTitle === null ? title : `${title} (${variantTitle})`;

/** The lines of an order. */
export function itemsShown(ctx: Ctx, items: readonly OrderItem[], { currency }: Order, words: ShopWords) {
  return items.map((item) => ({
    title: titleOf(item),
    quantity: item.quantity,
    total: words.money(item.subtotalCents, currency),
    notes: giftNotes(ctx, item.giftCardData, words),
  }));
}

/** For whom a gift card is, and when it is sent. */
export function giftNotes(ctx: Ctx, card: GiftData | null, words: ShopWords): string[] {
  const name = card?.recipientName || card?.recipientEmail;
  const date = card?.sendAt ? timeIn(ctx, words, 'day')(card.sendAt).words : null;
  return [
    ...(name ? [words.t('gift_card.for_whom', { name })] : []),
    ...(date ? [words.t('gift_card.sent_on', { date })] : []),
  ];
}

/** An address, line by line. */
export const addressShown = (one: OrderAddress | null, { lang }: ShopWords): string[] | null =>
  one === null || one.city === '-' || one.city === '' ? null : addressLines(one, lang);

/** An address of the web that a page may lead to; null for anything else. */
const webAddress = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;

const whenOf = ({ deliveredAt, shippedAt }: Parcel, day: (iso: string) => TimeShown): TimeShown | null => {
  const at = deliveredAt ?? shippedAt;
  return at === null ? null : day(at);
};

/** What was sent, or is being packed. @param items none where only the way of the parcels is told */
export function parcelsShown(
  ctx: Ctx,
  parcels: readonly Parcel[],
  items: readonly OrderItem[],
  words: ShopWords,
) {
  const day = timeIn(ctx, words, 'day');
  const names = new Map(items.map((item) => [item.id, titleOf(item)]));
  return parcels.map((one) => ({
    title: words.t('order.shipment', { number: one.shipmentNumber }),
    state: words.t(`order.parcel_${one.status}`),
    when: whenOf(one, day),
    carrier: [one.carrier, one.service].filter(Boolean).join(' '),
    number: one.trackingNumber,
    href: webAddress(one.trackingUrl),
    items: one.items.flatMap(({ orderItemId, quantity }) => {
      const name = names.get(orderItemId);
      return name === undefined ? [] : [`${quantity} × ${name}`];
    }),
  }));
}

const PAID = new Set(['captured', 'authorized']);

/** A line of the history in words; null for what has none. */
function stepWords(one: OrderEvent, currency: string, { t, money }: ShopWords): string | null {
  const { type, to, body, status, number, amount_cents: cents } = stepView(one);
  const amount = cents === null ? '' : money(cents, currency);
  switch (type) {
    case 'status':
      return one.data.placed === true ? t('order.event_placed') : to && t(`order.status_${to}`);
    case 'payment':
      return status !== null && PAID.has(status) ? t(`order.event_${status}`, { amount }) : null;
    case 'refund':
      // Its beginning is in the history, too: the shopper is told once, when the money went back.
      return status === 'succeeded' ? t('order.event_refund', { amount }) : null;
    case 'shipment':
      return status && t(`order.event_${status}`, { number: number ?? '' });
    case 'return':
      return status && t(`return.event_${status}`, { number: number ?? '' });
    case 'note':
      return body;
    default:
      return null;
  }
}

/** The public history of an order, the newest first. */
export function historyShown(
  ctx: Ctx,
  history: readonly OrderEvent[],
  currency: string,
  words: ShopWords,
): { readonly at: TimeShown; readonly text: string }[] {
  const time = timeIn(ctx, words, 'minute');
  return history
    .flatMap((one) => {
      const text = stepWords(one, currency, words);
      return text ? [{ at: time(one.createdAt), text }] : [];
    })
    .toReversed();
}

/** How far an order is, in words. */
export const standingShown = (ctx: Ctx, order: Order, words: ShopWords) => ({
  number: order.orderNumber,
  status: words.t(`order.status_${order.status}`),
  paid: words.t(`order.paid_${order.paymentStatus}`),
  placedAt: timeIn(ctx, words, 'day')(order.placedAt ?? order.createdAt),
});

/** Everything that its shopper is shown of an order. */
export function orderShown(ctx: Ctx, shown: ShopperOrder, words: ShopWords) {
  const { order, items, shipping, billing, parcels } = shown.whole;
  const { t, money } = words;
  const amount = (cents: number) => money(cents, order.currency);
  return {
    standing: standingShown(ctx, order, words),
    items: itemsShown(ctx, items, order, words),
    sum: [
      ...orderSum(order, words),
      ...(order.refundedCents > 0
        ? [{ label: t('order.refunded'), amount: amount(-order.refundedCents) }]
        : []),
    ],
    shipping: addressShown(shipping, words),
    billing: addressShown(billing, words),
    method: order.shippingMethodName,
    parcels: parcelsShown(ctx, parcels, items, words),
    payments: shown.payments
      .filter(({ status }) => PAID.has(status))
      .map(({ methodLabel, capturedCents, authorizedCents }) => ({
        label: methodLabel ?? t('checkout.payment'),
        amount: amount(capturedCents || authorizedCents),
      })),
    refunds: shown.refunds.map(({ refundNumber, amountCents, status }) => ({
      label: `${refundNumber} · ${t(`order.refund_${status}`)}`,
      amount: amount(amountCents),
    })),
    history: historyShown(ctx, shown.history, order.currency, words),
    note: order.note,
  };
}
