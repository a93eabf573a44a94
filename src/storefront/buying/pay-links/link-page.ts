import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { EMAIL_SETTINGS, mailOutcome } from '#platform/mail/index.ts';
import { PANEL } from '#platform/panel/index.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { money, orderPath, orRefused } from '#storefront/orders/desk/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { send } from './pay-links.ts';

const modelOf = (order: orders.Order) => ({
  action: `${orderPath(order.id)}/payment-link`,
  after: orderPath(order.id),
  number: order.orderNumber ?? order.id,
  due: money(Math.max(0, orders.settlement(order)), order.currency),
  link: null as object | null,
  emailSettings: EMAIL_SETTINGS,
});

/** Mails a link to pay, and shows it once. */
export const linkPage: Page = page({
  path: '/store/orders/{id}/payment-link',
  title: 'Send payment link',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: z.object({ email: text({ max: 255, trim: true }) }),
  async show(ctx, { params: { id } }) {
    const order = await orders.get(ctx, id);
    return show('store/order-payment-link', modelOf(order), { values: { email: order.email } });
  },
  async submit(ctx, { params: { id }, form }) {
    const order = await orders.get(ctx, id);
    const email = shopperEmail().safeParse(form.email);
    if (!email.success)
      throw refuseForm('The link was not sent', { email: `“${form.email}” is not a valid email address` });
    const { url, expiresAt } = await orRefused(() => send(ctx, order.id, email.data));
    const link = {
      url,
      outcome: await mailOutcome(ctx, `The link is being emailed to ${email.data}.`, {
        to: email.data,
        instead: 'Copy the link.',
      }),
      until: `${expiresAt.slice(0, 16).replace('T', ' ')} UTC`,
    };
    return show('store/order-payment-link', { ...modelOf(order), link }, { values: form });
  },
});
