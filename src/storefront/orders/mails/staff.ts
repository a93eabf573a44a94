import type { Ctx } from '#kernel/context.ts';
import type { StaffMail } from '#kernel/mail.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { defineMail, escapeHtml } from '#platform/mail/index.ts';
import * as orders from '../orders/index.ts';
import { reasonWords } from '../risk/index.ts';

const url = 'https://shop.example/store/orders/ord_01J9ZK3T5W8Y2QF4M6N7P0R1SV';
const pageOf = (ctx: Ctx, { id }: orders.Order): string => `${ctx.baseUrl}/store/orders/${id}`;
const totalOf = ({ currency, totalCents }: orders.Order): string =>
  moneyWords({ amountCents: totalCents, currency }, 'en');

/** Staff read these in English, as they do the panel. */
const newOrderMail: StaffMail = {
  mail: defineMail({
    key: 'admin_new_order',
    placeholders: ['order_number', 'total', 'buyer', 'items_html', 'url'],
    sample: {
      order_number: '1001',
      total: '$46.40',
      buyer: 'ann@example.com',
      items_html: '<p>2 × Stoneware mug</p>',
      url,
    },
    isForStaff: true,
  }),
  needs: 'orders:write',
  // Whoever packs them; support, which answers customers, would get one for every order.
  sentTo: 'inventory:read',
  label: 'New orders',
  about: 'order',
  async values(ctx, id) {
    const order = await orders.findOrder(ctx, id);
    if (!order?.orderNumber) return null;
    const { items } = await orders.whole(ctx, order);
    const lines = items.map(({ quantity, title }) => `<p>${escapeHtml(`${quantity} × ${title}`)}</p>`);
    return {
      order_number: order.orderNumber,
      total: totalOf(order),
      buyer: order.email,
      items_html: lines.join(''),
      url: pageOf(ctx, order),
    };
  },
};

const paymentProblemMail: StaffMail = {
  mail: defineMail({
    key: 'admin_payment_problem',
    placeholders: ['order_number', 'reason', 'url'],
    sample: {
      order_number: '1001',
      reason: 'The processor reported a different amount than requested. The order was not placed.',
      url,
    },
    isForStaff: true,
  }),
  needs: 'orders:write',
  label: 'Payments with the wrong amount',
  about: 'order',
  async values(ctx, id) {
    const order = await orders.findOrder(ctx, id);
    if (!order) return null;
    return {
      order_number: order.orderNumber ?? order.id,
      reason: 'The processor reported a different amount than requested. The order was not placed.',
      url: pageOf(ctx, order),
    };
  },
};

const orderReviewMail: StaffMail = {
  mail: defineMail({
    key: 'admin_order_review',
    placeholders: ['order_number', 'total', 'reason', 'url'],
    sample: {
      order_number: '1001',
      total: '$460.40',
      reason: "The card's country differs from the billing address",
      url,
    },
    isForStaff: true,
  }),
  needs: 'orders:write',
  label: 'Orders waiting for review',
  about: 'order',
  async values(ctx, id) {
    const order = await orders.findOrder(ctx, id);
    // Somebody may have been quicker.
    if (order?.review !== 'waiting') return null;
    return {
      order_number: order.orderNumber ?? order.id,
      total: totalOf(order),
      reason: (order.risk?.reasons ?? []).map(reasonWords).join('. '),
      url: pageOf(ctx, order),
    };
  },
};

/** What staff are written about orders (storefront-domain 14). */
export const orderStaffMails = [newOrderMail, paymentProblemMail, orderReviewMail];
