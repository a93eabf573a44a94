import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text, timestamp } from '#kernel/http/fields.ts';
import * as orders from '../orders/index.ts';
import { orderView } from '../orders/view.ts';
import { RESOLUTIONS, type Return } from './record.ts';
import { returnView, wholeReturn } from './view.ts';

/** What of a request hooks see and may change. */
interface Request {
  readonly items: readonly {
    readonly orderItemId: string;
    readonly quantity: number;
    readonly reasonId: string;
    readonly note?: string | undefined;
  }[];
  readonly resolution: (typeof RESOLUTIONS)[number];
  readonly exchangeVariantId?: string | undefined;
}

/** A return that is asked for, once the operator's hooks were asked. @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED; HookFailed */
export async function hookedRequest<R extends Request>(
  ctx: Ctx,
  order: orders.Order,
  input: R,
  by: 'customer' | 'staff',
): Promise<R> {
  const changed = await ctx.before(
    'return.requested',
    order.id,
    async () => ({
      by,
      order: orderView(await orders.whole(ctx, order), await orders.deliveredOf(ctx, order)),
      items: input.items.map(({ orderItemId, quantity, reasonId, note }) => ({
        order_item_id: orderItemId,
        quantity,
        reason_id: reasonId,
        note: note ?? null,
      })),
      resolution: input.resolution,
      exchange_variant_id: input.exchangeVariantId ?? null,
    }),
    () => ({ changes: { resolution: oneOf(RESOLUTIONS) } }),
  );
  return changed ? { ...input, ...changed } : input;
}

/** What of an approval hooks see and may change. */
interface Approval {
  readonly items?: readonly { readonly id: string; readonly approvedQuantity: number }[] | undefined;
  readonly instructions?: string | undefined;
  readonly returnBy?: string | undefined;
}

/** An approval once the operator's hooks were asked. @throws as `hookedRequest` */
export async function hookedApproval<A extends Approval>(ctx: Ctx, one: Return, approval: A): Promise<A> {
  const changed = await ctx.before(
    'return.approved',
    one.id,
    async () => ({
      return: returnView(await wholeReturn(ctx, one)),
      items: approval.items?.map(({ id, approvedQuantity }) => ({ id, approved_quantity: approvedQuantity })),
      instructions: approval.instructions ?? null,
      return_by: approval.returnBy ?? null,
    }),
    () => ({ changes: { instructions: optional(text({ max: 5000 })), return_by: optional(timestamp()) } }),
  );
  if (!changed) return approval;
  const { instructions, return_by: returnBy } = changed as { instructions?: string; return_by?: string };
  return { ...approval, ...(instructions !== undefined && { instructions }), ...(returnBy && { returnBy }) };
}
