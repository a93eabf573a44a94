/** Orders that staff write, place and edit (storefront-api.md, V). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint, ok, type Reply } from '#kernel/http/endpoint.ts';
import { text } from '#kernel/http/fields.ts';
import { doOnce, IdempotencyKeyHeaders, idempotencyKeyOf } from '#platform/idempotency/index.ts';
import { StoreOrderView, storeOrderView } from '#storefront/orders/desk/view.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import { TotalsView, totalsView } from '#storefront/orders/orders/view.ts';
import { edit, preview } from './edit.ts';
import {
  EditBody,
  EditPreviewBody,
  editOf,
  PlaceOrderBody,
  placingOf,
  StaffOrderBody,
  staffOrderOf,
} from './schemas.ts';
import * as staffOrders from './staff-orders.ts';

const base = '/api/store/orders';
const params = z.object({ id: text({ min: 1, max: 255 }) });
const Answer = z.object({ data: StoreOrderView });
const EditPreview = z
  .object({ totals_before: TotalsView, totals_after: TotalsView, difference_cents: z.int() })
  .meta({ id: 'OrderEditPreview' });

const shown = async (ctx: Ctx, order: Order) => ({ data: await storeOrderView(order, ctx) });

async function created(
  ctx: Ctx,
  body: z.output<typeof StaffOrderBody>,
): Promise<Reply<z.output<typeof Answer>>> {
  const { order } = await staffOrders.create(ctx, staffOrderOf(body));
  return { status: 201, body: await shown(ctx, order) };
}

export const staffOrderEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: base,
    summary: 'Create an order for a customer, as a draft or ready to pay',
    scope: 'orders:write',
    limit: null,
    headers: IdempotencyKeyHeaders,
    body: StaffOrderBody,
    replies: { 201: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { body, headers }) => {
      const key = idempotencyKeyOf(headers);
      if (key === undefined) return created(ctx, body);
      const asked = { key, operation: `POST ${base}`, request: body };
      return (await doOnce(ctx, asked, (ctx) => created(ctx, body))) as Reply<z.output<typeof Answer>>;
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/{id}/place`,
    summary: 'Place a draft order, paid by link or later',
    scope: 'orders:write',
    limit: null,
    params,
    body: PlaceOrderBody,
    replies: { 200: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params: { id }, body }) =>
      ok(await shown(ctx, (await staffOrders.place(ctx, id, placingOf(body))).order)),
  }),
  endpoint({
    method: 'post',
    path: `${base}/{id}/edit/preview`,
    summary: 'Preview the totals of an order after an edit',
    scope: 'orders:write',
    limit: null,
    params,
    body: EditPreviewBody,
    replies: { 200: z.object({ data: EditPreview }) },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR'],
    handle: async (ctx, { params: { id }, body }) => {
      const { before, after } = await preview(ctx, id, editOf(body));
      const difference = after.totalCents - before.order.totalCents;
      const totals = { totals_before: totalsView(before.order), totals_after: totalsView(after) };
      return ok({ data: { ...totals, difference_cents: difference } });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/{id}/edit`,
    summary: 'Add, change and remove items of an unshipped order',
    scope: 'orders:write',
    limit: null,
    params,
    body: EditBody,
    replies: { 200: Answer },
    errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'INSUFFICIENT_SCOPE'],
    handle: async (ctx, { params: { id }, body }) => ok(await shown(ctx, await edit(ctx, id, editOf(body)))),
  }),
];
