import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, show } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { money, orderPath, orRefused } from '#storefront/orders/desk/index.ts';
import * as orders from '#storefront/orders/orders/index.ts';
import { type EditInput, edit, preview, SETTLES } from './edit.ts';
import { centsIn, linesIn, unitsIn } from './typed.ts';

const list = (max: number) => z.array(text({ max, trim: true })).max(500);

/** As it is typed: each line of the order has a field of the same name. */
const EditForm = later(() =>
  z.object({
    item: list(30),
    quantity: list(4),
    price: list(30),
    add: text({ max: 20_000 }).default(''),
    shipping: text({ max: 30, trim: true }),
    settle: oneOf(SETTLES),
    expected: optional(text({ max: 12 })),
    do: optional(oneOf(['check', 'apply'])),
  }),
);
type Sent = z.output<typeof EditForm>;

const WAYS = [
  ['none', 'Do nothing: the order shows the difference'],
  ['payment_link', 'Email a payment link for the amount due'],
  ['refund', 'Refund the overpaid amount'],
] as const;

async function modelOf(ctx: Ctx, order: orders.Order, values: Partial<Sent> = {}) {
  const items = await orders.itemsOf(ctx, order.id);
  const decimal = (amountCents: number) => decimalOf({ amountCents, currency: order.currency });
  return {
    action: `${orderPath(order.id)}/edit`,
    after: orderPath(order.id),
    number: order.orderNumber ?? order.id,
    currency: order.currency,
    ways: order.status === 'draft' ? WAYS.slice(0, 1) : WAYS,
    items: items.map(({ id, sku, title, quantity, unitCents }) => ({
      id,
      sku,
      title,
      quantity,
      price: decimal(unitCents),
    })),
    shipping: decimal(order.shippingCents),
    values,
    preview: null as object | null,
  };
}

async function inputOf(ctx: Ctx, order: orders.Order, sent: Sent): Promise<EditInput> {
  const known = new Map((await orders.itemsOf(ctx, order.id)).map((one) => [one.id, one]));
  const rows = sent.item.flatMap((id, at) => {
    const item = known.get(id);
    const quantity = unitsIn('quantity', sent.quantity[at] || '0');
    const unitCents = centsIn('price', sent.price[at] ?? '', order.currency) ?? item?.unitCents;
    return id === '' ? [] : [{ orderItemId: id, quantity, unitCents, item }];
  });
  return {
    add: await linesIn(ctx, 'add', sent.add, order.currency),
    update: rows
      .filter(
        ({ item, quantity, unitCents }) =>
          quantity > 0 && !(item?.quantity === quantity && item.unitCents === unitCents),
      )
      .map(({ item: _known, ...one }) => one),
    remove: rows.filter(({ quantity }) => quantity === 0).map(({ orderItemId }) => orderItemId),
    shippingCents: changedCents(order, centsIn('shipping', sent.shipping, order.currency)),
    settle: sent.settle,
  };
}

const changedCents = ({ shippingCents }: orders.Order, cents: number | undefined): number | undefined =>
  cents === shippingCents ? undefined : cents;

/** Changes what stands in an order: first its totals before and after, then the change. */
export const editPage: Page = page({
  path: '/store/orders/{id}/edit',
  title: 'Edit order',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'work-on-orders',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: EditForm,
  show: async (ctx, { params: { id } }) =>
    show('store/order-edit', await modelOf(ctx, await orders.get(ctx, id))),
  async submit(ctx, { params: { id }, form }) {
    const order = await orders.get(ctx, id);
    const input = await inputOf(ctx, order, form);
    const expectedTotalCents = /^\d+$/.test(form.expected ?? '') ? Number(form.expected) : undefined;
    if (form.do === 'apply') {
      await orRefused(() => edit(ctx, order.id, { ...input, expectedTotalCents }));
      return goTo(orderPath(order.id));
    }
    const { after } = await orRefused(() => preview(ctx, order.id, input));
    const words = (cents: number) => money(cents, order.currency);
    const shown = {
      rows: [
        ['Items', order.subtotalCents, after.subtotalCents],
        ['Discounts', -offOf(order), -offOf(after)],
        ['Shipping', netShipping(order), netShipping(after)],
        ['Tax', order.taxCents, after.taxCents],
        ['Total', order.totalCents, after.totalCents],
        ['Due', orders.settlement(order), orders.settlement(after)],
      ].map(([label, before, then]) => ({
        label,
        before: words(Number(before)),
        after: words(Number(then)),
      })),
      expected: after.totalCents,
      settle: WAYS.find(([way]) => way === form.settle)?.[1] ?? '',
    };
    return show('store/order-edit', { ...(await modelOf(ctx, order, form)), preview: shown });
  },
});

const offOf = (order: orders.Order): number => order.itemDiscountCents + order.orderDiscountCents;
const netShipping = (order: orders.Order): number => order.shippingCents - order.shippingDiscountCents;
