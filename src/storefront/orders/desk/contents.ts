import type { Ctx } from '#kernel/context.ts';
import { formatMoney } from '#kernel/money.ts';
import { type Address, addressLines } from '#storefront/contract/address.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { listOfItems } from '#storefront/pricing/gift-cards/index.ts';
import { documentsOf, type Invoice } from '../documents/index.ts';
import * as orders from '../orders/index.ts';
import { reasonWords } from '../risk/index.ts';
import { money } from './words.ts';

/** An address as people write it, line by line. */
const linesOf = (one: Address | null): string[] | null =>
  one && [...addressLines(one, 'en'), ...(one.phone ? [one.phone] : [])];

/** What stands in an order, for the page of staff: lines, totals and addresses. */
export async function contentsOf(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const order = await orders.get(ctx, id);
  const { items, adjustments, shipping, billing } = await orders.whole(ctx, order);
  const words = (cents: number) => money(cents, order.currency);
  return {
    ways: [
      ...waysOf(order, items),
      ...(ctx.settings.get(featureSettings.returns_enabled) ? returnWay(order, items) : []),
    ],
    items: items.map((item) => ({
      sku: item.sku,
      title: [item.title, item.variantTitle].filter((one) => one).join(', '),
      href: item.productId === null ? null : `/store/products/${item.productId}`,
      unit: words(item.unitCents),
      quantity: item.quantity,
      state: stateOf(item),
      total: words(item.totalCents),
      gift: giftWords(item),
    })),
    cards: await cardsShown(ctx, items),
    adjustments: adjustments.map(({ label, code, amountCents }) => ({
      label: code === null ? label : `${label} (${code})`,
      amount: words(-amountCents),
    })),
    totals: totalsOf(order, words),
    shippingMethod: order.shippingMethodName,
    shipping: linesOf(shipping),
    billing: linesOf(billing),
    note: order.note,
    giftMessage: order.giftMessage,
    risks: (order.risk?.reasons ?? []).map(reasonWords),
    papers: papersOf(order, items, await documentsOf(ctx, order.id)),
  };
}

/** For whom a gift card is, and when it is sent; null for other goods. */
function giftWords({ giftCardData }: orders.OrderItem): string | null {
  if (giftCardData === null) return null;
  const { recipientName, recipientEmail, sendAt } = giftCardData;
  const who = [recipientName, recipientEmail].filter((one) => one !== null).join(', ');
  return `For ${who || 'the customer'}${sendAt === null ? '' : `, sent on ${sendAt.slice(0, 10)}`}`;
}

/** The gift cards that were issued for the order. */
async function cardsShown(ctx: Ctx, items: readonly orders.OrderItem[]) {
  const bought = items.filter(({ giftCardData }) => giftCardData !== null).map(({ id }) => id);
  if (bought.length === 0) return [];
  return (await listOfItems(ctx, bought)).map(({ id, last4, status }) => ({
    label: `•••• ${last4} (${status})`,
    href: `/store/gift-cards/${id}`,
  }));
}

/** Documents that can be downloaded; an order of before there were invoices gets its own when it is asked for. */
function papersOf(order: orders.Order, items: readonly orders.OrderItem[], issued: readonly Invoice[]) {
  const at = `/api/store/orders/${order.id}`;
  const first =
    order.placedAt === null || issued.length > 0 ? [] : [{ label: 'Invoice', href: `${at}/invoice.pdf` }];
  return [
    ...first,
    ...issued.map(({ kind, invoiceNumber }) => ({
      label: `${kind === 'invoice' ? 'Invoice' : 'Credit note'} ${invoiceNumber}`,
      href: `${at}/document.pdf?number=${invoiceNumber}`,
    })),
    ...(items.some(({ requiresShipping }) => requiresShipping)
      ? [{ label: 'Packing slip', href: `${at}/packing-slip.pdf` }]
      : []),
  ];
}

/** Pages that change the order, as far as its state lets them. */
/** `24.00`: as a field takes it. */
const plain = (amountCents: number, currency: string): string =>
  formatMoney({ amountCents, currency }).split(' ', 1)[0] ?? '';

function waysOf(order: orders.Order, items: readonly orders.OrderItem[]) {
  const isOpen = ['draft', 'pending', 'processing', 'on_hold'].includes(order.status);
  const isStaffs = order.placedAt !== null || order.cartId === null;
  const isWhole = items.every(({ fulfilledQuantity }) => fulfilledQuantity === 0);
  const isDue = order.status !== 'draft' && order.status !== 'cancelled' && orders.settlement(order) > 0;
  const all: [label: string, path: string, isOffered: boolean][] = [
    ['Place order', 'place', order.status === 'draft'],
    ['Edit items', 'edit', isOpen && isStaffs && isWhole],
    ['Change addresses', 'addresses', isOpen && isStaffs && isWhole],
    [
      'Record payment',
      `payments/new?amountCents=${plain(orders.settlement(order), order.currency)}`,
      isDue && order.placedAt !== null && order.refundedCents === 0,
    ],
    ['Send payment link', 'payment-link', isDue && isStaffs && order.refundedCents === 0],
    ['Ship', 'ship', order.status === 'processing' && orders.leftToShip(items) > 0],
  ];
  return all.flatMap(([label, path, isOffered]) =>
    isOffered ? [{ label, href: `/store/orders/${order.id}/${path}` }] : [],
  );
}

/** What has left, or is paid and needs no parcel, may come back. */
function returnWay(order: orders.Order, items: readonly orders.OrderItem[]) {
  const hasLeft = items.some(({ fulfilledQuantity, requiresShipping }) =>
    requiresShipping ? fulfilledQuantity > 0 : order.paidAt !== null,
  );
  const isOffered = order.placedAt !== null && order.status !== 'cancelled' && hasLeft;
  const href = `/store/returns/new?order=${encodeURIComponent(order.orderNumber ?? order.id)}`;
  return isOffered ? [{ label: 'Return', href }] : [];
}

const stateOf = (item: orders.OrderItem): string =>
  [
    item.fulfilledQuantity > 0 ? `${item.fulfilledQuantity} shipped` : null,
    item.cancelledQuantity > 0 ? `${item.cancelledQuantity} cancelled` : null,
    item.returnRequestedQuantity > 0 ? `${item.returnRequestedQuantity} requested to return` : null,
    item.returnedQuantity > 0 ? `${item.returnedQuantity} returned` : null,
    item.refundedQuantity > 0 ? `${item.refundedQuantity} refunded` : null,
  ]
    .filter((one) => one !== null)
    .join(', ');

function totalsOf(order: orders.Order, words: (cents: number) => string) {
  const open = orders.settlement(order);
  // What went back is not asked for again.
  const due = open > 0 ? Math.max(0, open - order.refundedCents) : open;
  const rows: [label: string, cents: number, isShown?: boolean][] = [
    ['Subtotal', order.subtotalCents, true],
    ['Discounts', -(order.itemDiscountCents + order.orderDiscountCents)],
    ['Shipping', order.shippingCents - order.shippingDiscountCents, true],
    [order.pricesIncludeTax ? 'Tax (included)' : 'Tax', order.taxCents, true],
    ['Total', order.totalCents, true],
    ['Paid', order.paidCents],
    ['Paid by gift cards', order.giftCardCents],
    ['Refunded', -order.refundedCents],
    [due < 0 ? 'To be refunded' : 'Due', Math.abs(due), true],
  ];
  return rows
    .filter(([, cents, isShown]) => isShown || cents !== 0)
    .map(([label, cents]) => ({ label, amount: words(cents), isTotal: label === 'Total' }));
}

/** Whether a license of an order could not be made yet. */
export async function lacksLicenses(ctx: Ctx, id: string): Promise<boolean> {
  const { problems } = await orders.licensesOf(ctx, await orders.get(ctx, id), { withKeys: false });
  return problems.length > 0;
}
