import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { orRefused } from '../desk/index.ts';
import * as orders from '../orders/index.ts';
import { offeredReasons } from './reasons.ts';
import { RESOLUTIONS } from './record.ts';
import { request } from './request.ts';
import { returnableLines } from './returnable.ts';
import { ReturnCreate } from './schemas.ts';
import { checked, returnPage } from './step-pages.ts';

const list = (max: number) => z.array(text({ max, trim: true })).max(100);

const NewForm = later(() =>
  z.object({
    once: text({ max: 64 }).default(''),
    order: text({ max: 40, trim: true }),
    item: list(30).default([]),
    quantity: list(4).default([]),
    reason: list(30).default([]),
    note: list(1000).default([]),
    resolution: oneOf(RESOLUTIONS).default('refund'),
    approve: oneOf(['yes', 'no']).default('no'),
    do: optional(oneOf(['create'])),
  }),
);
type Sent = z.output<typeof NewForm>;

const WHY: Readonly<Record<string, string>> = {
  cancelled: 'the order was canceled',
  not_sent: 'not sent yet',
  not_paid: 'not paid yet',
  gift_card: 'gift cards cannot be returned',
  none_left: 'nothing is left to return',
};

async function modelOf(ctx: Ctx, number: string | undefined) {
  const order = number ? await orRefused(() => orders.get(ctx, number), 'order') : null;
  const lines = order ? await returnableLines(ctx, order, true) : [];
  const now = ctx.now();
  return {
    action: '/store/returns/new',
    once: ctx.newId('frm'),
    number: order?.orderNumber ?? null,
    orderId: order?.id ?? '',
    reasons: await offeredReasons(ctx),
    lines: lines.map(({ item, quantity, why, deadline }) => ({
      id: item.id,
      title: [item.title, item.variantTitle].filter((part) => part).join(', '),
      sku: item.sku,
      quantity,
      why: why === null ? null : (WHY[why] ?? why),
      isLate: deadline !== null && now >= deadline,
      deadline: deadline?.slice(0, 10) ?? null,
    })),
  };
}

function itemsOf({ item, quantity, reason, note }: Sent) {
  return item.flatMap((orderItemId, at) => {
    const units = quantity[at] ?? '';
    if (orderItemId === '' || units === '' || units === '0') return [];
    if (!/^\d{1,3}$/.test(units))
      throw refuseForm('The return was not created', { quantity: 'A quantity is a number, such as 1' });
    return [
      { orderItemId, quantity: Number(units), reasonId: reason[at] ?? '', note: note[at] || undefined },
    ];
  });
}

/** Writes a return for a customer: first its order, then what comes back. */
export const newReturnPage: Page = page({
  path: '/store/returns/new',
  title: 'New return',
  audience: { staff: 'orders:write' },
  layout: PANEL,
  help: 'returns',
  query: later(() => z.object({ order: z.string().max(40).optional().catch(undefined) })),
  form: NewForm,
  show: async (ctx, { query }) => show('store/return-new', await modelOf(ctx, query.order)),
  async submit(ctx, { form }) {
    if (form.do !== 'create') return show('store/return-new', await modelOf(ctx, form.order));
    const input = checked(ReturnCreate, {
      orderId: form.order,
      items: itemsOf(form),
      resolution: form.resolution,
      approve: form.approve === 'yes',
      isLate: true,
    });
    const order = await orRefused(() => orders.get(ctx, input.orderId), 'order');
    const { items, resolution = 'refund', approve } = input;
    const asked = { items, resolution, onceKey: form.once || undefined };
    const one = await orRefused(
      () => request(ctx, order, asked, { by: 'staff', isLate: true, approve }),
      'quantity',
    );
    return goTo(returnPage(one.id));
  },
});
