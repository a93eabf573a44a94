import type { MailSpec } from '#kernel/mail.ts';
import { defineMail } from '#platform/mail/index.ts';

const url = 'https://shop.example/shop/order/abc';
const items = '<p>2 × Stoneware mug: $38.00</p>';

const blocksShown = {
  licenses_html: '<p>Editor Pro: ABCD-EFGH-JKLM-NPQR</p>',
  downloads_html: '<p>Downloads<br>album.zip (48.2 MiB)</p>',
};

/** What is delivered with a paid order, as it is when the mail is sent. */
const delivered: NonNullable<MailSpec['late']> = async (ctx, orderId, { to, values }) =>
  (await import('./delivered.ts')).blocksOf(ctx, orderId, { orderUrl: values.order_url ?? '', to });

/** What a shopper gets when an order is placed (storefront-domain 14). */
export const orderConfirmationMail = defineMail({
  key: 'order_confirmation',
  placeholders: [
    'order_number',
    'order_url',
    'items_html',
    'discount',
    'shipping',
    'tax',
    'total',
    'address_html',
    'instructions',
    'licenses_html',
    'downloads_html',
  ],
  sample: {
    order_number: '1001',
    order_url: url,
    items_html: items,
    discount: '',
    shipping: '$5.00',
    tax: '$3.40',
    total: '$46.40',
    address_html: 'Ann Miller<br>1 Main Street<br>62701 Springfield',
    instructions: '',
    ...blocksShown,
  },
  late: async (ctx, orderId, mail) => ({
    ...(await delivered(ctx, orderId, mail)),
    ...((await (await import('./outdated.ts')).isDue(ctx, orderId)) ? {} : { instructions: '' }),
  }),
});

export const paymentReceivedMail = defineMail({
  key: 'payment_received',
  placeholders: ['order_number', 'total', 'order_url', 'licenses_html', 'downloads_html'],
  sample: { order_number: '1001', total: '$46.40', order_url: url, ...blocksShown },
  late: delivered,
});

/** What has left, and how to follow it. */
export const shipmentNotificationMail = defineMail({
  key: 'shipment_notification',
  placeholders: ['order_number', 'carrier', 'tracking_number', 'tracking_url', 'items_html', 'order_url'],
  sample: {
    order_number: '1001',
    carrier: 'UPS',
    tracking_number: '1Z999',
    tracking_url: 'https://carrier.example/1Z999',
    items_html: '<p>2 × Stoneware mug</p>',
    order_url: url,
  },
});

/** A parcel has arrived: most carriers say so themselves, so that a shop switches it on when it wants it. */
export const shipmentDeliveredMail = defineMail({
  key: 'shipment_delivered',
  placeholders: ['order_number', 'order_url'],
  sample: { order_number: '1001', order_url: url },
  isOffAtFirst: true,
});

export const refundIssuedMail = defineMail({
  key: 'refund_issued',
  placeholders: ['order_number', 'amount', 'arrival', 'order_url'],
  sample: {
    order_number: '1001',
    amount: '$19.00',
    arrival: 'Depending on your bank, it arrives within a few days.',
    order_url: url,
  },
});

export const orderCancelledMail = defineMail({
  key: 'order_cancelled',
  placeholders: ['order_number', 'total', 'order_url'],
  sample: { order_number: '1001', total: '$46.40', order_url: url },
});

export const paymentLinkMail = defineMail({
  key: 'payment_link',
  placeholders: ['order_number', 'total', 'payment_url', 'expires_at'],
  sample: {
    order_number: '1001',
    total: '$46.40',
    payment_url: 'https://shop.example.com/shop/pay/token',
    expires_at: 'May 6, 2030',
  },
  isSecret: true,
  outdated: async (ctx, orderId, { values }) =>
    (await import('./outdated.ts')).whyNotToPay(ctx, orderId, values.payment_url ?? ''),
  late: async (ctx, orderId) => (await import('./outdated.ts')).dueNow(ctx, orderId),
});

export const orderUpdatedMail = defineMail({
  key: 'order_updated',
  placeholders: ['order_number', 'order_url', 'items_html', 'total', 'due', 'credit'],
  sample: {
    order_number: '1001',
    order_url: url,
    items_html: items,
    total: '$46.40',
    due: '$8.00',
    credit: '',
  },
});

export const orderMails = [
  orderConfirmationMail,
  paymentReceivedMail,
  shipmentNotificationMail,
  shipmentDeliveredMail,
  refundIssuedMail,
  orderCancelledMail,
  paymentLinkMail,
  orderUpdatedMail,
];
