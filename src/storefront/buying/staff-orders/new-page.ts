import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { issuesOf, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { ADDRESS_FIELDS, type AddressSent, addressOf } from '#storefront/contract/address.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import { orderPath, orRefused } from '#storefront/orders/desk/index.ts';
import { listMethods } from '#storefront/pricing/shipping/index.ts';
import { create, type StaffOrder } from './staff-orders.ts';
import { centsIn, linesIn } from './typed.ts';

const line = (max: number) => text({ max, trim: true }).default('');

const NewForm = later(() =>
  z.object({
    email: line(255),
    items: text({ max: 20_000 }).default(''),
    method: line(30),
    shipping: line(30),
    code: line(100),
    discount: line(30),
    label: line(255),
    note: text({ max: 1000, trim: true }).default(''),
    ...(Object.fromEntries(ADDRESS_FIELDS.map((name) => [name, line(200)])) as Record<
      (typeof ADDRESS_FIELDS)[number],
      z.ZodDefault<z.ZodString>
    >),
  }),
);
type Sent = z.output<typeof NewForm>;

/** The address that was typed; null where nothing of it was. @throws a refusal of the form */
function addressIn(sent: Sent) {
  const typed = ADDRESS_FIELDS.map((name) => [name, sent[name]] as const).filter(([, value]) => value !== '');
  return typed.length === 0 ? null : addressOf(Object.fromEntries(typed) as AddressSent, 'address');
}

async function orderIn(ctx: Ctx, sent: Sent): Promise<StaffOrder> {
  const currency = ctx.settings.get(currencyCode);
  const email = shopperEmail().safeParse(sent.email);
  if (!email.success) {
    const [fault] = issuesOf(email.error.issues);
    throw refuseForm('The order was not saved', { email: fault?.message ?? 'is not valid' });
  }
  const items = await linesIn(ctx, 'items', sent.items, currency);
  if (items.length === 0) throw refuseForm('The order was not saved', { items: 'Add at least one item' });
  const discount = centsIn('discount', sent.discount, currency);
  const shipping = addressIn(sent);
  return {
    email: email.data,
    phone: sent.phone || undefined,
    items,
    shipping,
    billing: null,
    shippingMethodId: sent.method || undefined,
    shippingCents: centsIn('shipping', sent.shipping, currency),
    codes: sent.code === '' ? [] : [sent.code],
    manual: discount ? [{ label: sent.label || 'Discount', amountCents: discount }] : [],
    note: sent.note || undefined,
    payment: null,
  };
}

async function model(ctx: Ctx) {
  const methods = await listMethods(ctx);
  return {
    currency: ctx.settings.get(currencyCode),
    methods: [
      { value: '', label: 'None, or at the price below' },
      ...methods.map(({ id, name }) => ({ value: id, label: name })),
    ],
  };
}

/** Writes an order for a customer as a draft: its page shows what it costs, and places it. */
export const newOrderPage: Page = page({
  path: '/store/orders/new',
  title: 'New order',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  form: NewForm,
  show: async (ctx) => show('store/order-new', await model(ctx)),
  async submit(ctx, { form }) {
    const { order } = await orRefused(async () => create(ctx, await orderIn(ctx, form)));
    return goTo(orderPath(order.id));
  },
});
