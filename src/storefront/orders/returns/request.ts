import type { Ctx } from '#kernel/context.ts';
import { takeNumber } from '#kernel/db/counters.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { tellStaff } from '#platform/staff-mail/index.ts';
import { variantRows } from '#storefront/catalog/products/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { returnAutoApprove, returnAutoApproveMaxCents } from '#storefront/contract/selling-settings.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import * as orders from '../orders/index.ts';
import { approve } from './decide.ts';
import { hookedRequest } from './hooked.ts';
import { keepOf } from './photos.ts';
import type { Resolution, Return, ReturnItem, ReturnReason } from './record.ts';
import * as repo from './repository.ts';
import { type NotReturnable, type ReturnableLine, returnableLines, worthOf } from './returnable.ts';
import { noted, restate, tell } from './returns.ts';
import { mailReturn } from './send.ts';

/** Units of a line that somebody wants to return. */
export interface WantedBack {
  readonly orderItemId: string;
  readonly quantity: number;
  readonly reasonId: string;
  readonly note?: string | undefined;
  /** Ids of photos, which the caller has made sure are theirs. */
  readonly media?: readonly string[] | undefined;
}

/** A return that is asked for. */
export interface ReturnRequest {
  readonly items: readonly WantedBack[];
  readonly resolution: Resolution;
  /** What the customer would like in exchange. */
  readonly exchangeVariantId?: string | undefined;
  /** The same key for the same order is the same return. */
  readonly onceKey?: string | undefined;
}

/** Who asks. */
export interface Asking {
  readonly by: 'customer' | 'staff';
  /** After the window, which only staff may. */
  readonly isLate?: boolean | undefined;
  /** Approved at once, by staff. */
  readonly approve?: boolean | undefined;
}

/** A line that is asked back, with everything that is known of it. */
interface Judged {
  readonly wanted: WantedBack;
  readonly line: ReturnableLine;
}

const words: Readonly<Record<NotReturnable, string>> = {
  cancelled: 'the order was canceled',
  not_sent: 'it was not sent yet',
  not_paid: 'it is not paid yet',
  gift_card: 'gift cards cannot be returned',
  none_left: 'nothing is left to return',
  too_late: 'the return period has ended',
};

const notReturnable = (line: ReturnableLine, message: string) =>
  fail('VALIDATION_ERROR', `${line.item.title}: ${message}`, {
    details: {
      reason: 'NOT_RETURNABLE',
      why: line.why ?? 'none_left',
      order_item_id: line.item.id,
      returnable_quantity: line.quantity,
      deadline: line.deadline,
    },
  });

/**
 * Asks for units of an order to be returned. One that costs little enough is approved at once, where the shop wants that
 * (storefront-domain 6.5).
 *
 * @returns the return; for a key that was used before the one of then
 * @throws AppError NOT_FOUND for an item of another order; VALIDATION_ERROR, reason NOT_RETURNABLE for what cannot be
 *   returned
 */
export async function request(
  ctx: Ctx,
  order: orders.Order,
  asked: ReturnRequest,
  how: Asking,
): Promise<Return> {
  const input = await hookedRequest(ctx, order, asked, how.by);
  await requireOffered(ctx, input);
  const { one, isNew } = await ctx.tx((ctx) => requestLocked(ctx, order.id, input, how));
  if (!isNew || one.status !== 'requested') return one;
  if (how.approve || (how.by === 'customer' && (await isApprovedAtOnce(ctx, one))))
    return approve(ctx, one.id);
  return one;
}

async function isApprovedAtOnce(ctx: Ctx, { id }: Return): Promise<boolean> {
  if (!ctx.settings.get(returnAutoApprove)) return false;
  const items = await repo.itemsOf(ctx, id);
  const worth = items.reduce((sum, { refundCents }) => sum + refundCents, 0);
  return worth <= ctx.settings.get(returnAutoApproveMaxCents);
}

/** @throws AppError VALIDATION_ERROR for goods that do not exist, and for a gift card that the shop does not have */
async function requireOffered(ctx: Ctx, { resolution, exchangeVariantId }: ReturnRequest): Promise<void> {
  if (resolution === 'store_credit' && !ctx.settings.get(featureSettings.gift_cards_enabled))
    throw invalidField('resolution', 'store credit needs gift cards, which are turned off in this shop');
  if (exchangeVariantId === undefined) return;
  if (resolution !== 'exchange') throw invalidField('exchange_variant_id', 'is for exchanges only');
  if (!(await variantRows.find(ctx, exchangeVariantId)))
    throw invalidField('exchange_variant_id', `variant ${exchangeVariantId} does not exist`);
}

async function requestLocked(ctx: Ctx, orderId: string, input: ReturnRequest, how: Asking) {
  const order = await orders.lock(ctx, orderId);
  const had = input.onceKey === undefined ? null : await repo.findByOnceKey(ctx, orderId, input.onceKey);
  if (had) return { one: had, isNew: false };
  const judged = await judge(ctx, order, input.items, how.isLate ?? false);
  for (const { wanted, line } of judged)
    if (!(await orders.takeReturnRequest(ctx, orderId, wanted.orderItemId, wanted.quantity)))
      throw notReturnable(line, 'a return was requested in the meantime');
  await keepOf(
    ctx,
    order,
    judged.flatMap(({ wanted: { media = [] } }) => media),
  );
  const one = await stored(ctx, order, input, judged);
  await noted(ctx, one);
  await tell(ctx, 'return.requested', one, null);
  await restate(ctx, orderId);
  await mailReturn(ctx, order, one, 'return_requested');
  await tellStaff(ctx, 'admin_return_requested', one.id);
  return { one, isNew: true };
}

/** @throws AppError NOT_FOUND, VALIDATION_ERROR */
async function judge(
  ctx: Ctx,
  order: orders.Order,
  items: readonly WantedBack[],
  isLate: boolean,
): Promise<Judged[]> {
  const lines = new Map((await returnableLines(ctx, order, isLate)).map((one) => [one.item.id, one]));
  const reasons = new Map((await repo.listReasons(ctx)).map((one) => [one.id, one]));
  const seen = new Set<string>();
  return items.map((wanted, at) => {
    const line = lines.get(wanted.orderItemId);
    if (!line) throw fail('NOT_FOUND', `order ${order.orderNumber} has no item ${wanted.orderItemId}`);
    if (seen.has(wanted.orderItemId)) throw invalidField(`items.${at}.order_item_id`, 'is listed twice');
    seen.add(wanted.orderItemId);
    if (line.why !== null) throw notReturnable(line, words[line.why]);
    if (wanted.quantity > line.quantity)
      throw notReturnable(line, `${line.quantity} can be returned, ${wanted.quantity} were requested`);
    requireReason(reasons.get(wanted.reasonId), wanted, at);
    return { wanted, line };
  });
}

function requireReason(reason: ReturnReason | undefined, { note, media = [] }: WantedBack, at: number): void {
  if (!reason?.isActive)
    throw invalidField(`items.${at}.reason_id`, 'is not one of the reasons of this shop');
  if (reason.requiresNote && !note) throw invalidField(`items.${at}.note`, 'is required with this reason');
  if (reason.requiresPhoto && media.length === 0)
    throw invalidField(`items.${at}.media_ids`, 'this reason needs a photo');
}

async function stored(
  ctx: Ctx,
  order: orders.Order,
  { resolution, exchangeVariantId, onceKey }: ReturnRequest,
  judged: readonly Judged[],
): Promise<Return> {
  const now = ctx.now();
  const one: Return = {
    id: ctx.newId(ids.return),
    returnNumber: `R${await takeNumber(ctx, 'shop_return_number')}`,
    orderId: order.id,
    status: 'requested',
    resolution,
    outcome: null,
    exchangeVariantId: exchangeVariantId ?? null,
    exchangeOrderId: null,
    onceKey: onceKey ?? null,
    instructions: null,
    labelUrl: null,
    labelKey: null,
    carrier: null,
    trackingNumber: null,
    endReason: null,
    restockingFeeCents: 0,
    returnBy: null,
    requestedAt: now,
    approvedAt: null,
    receivedAt: null,
    closedAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await repo.insertReturn(
    ctx,
    one,
    judged.map((part) => itemOf(ctx, one.id, part)),
  );
  return one;
}

/** An item of a new return. */
function itemOf(ctx: Ctx, returnId: string, { wanted, line }: Judged): ReturnItem {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.returnItem),
    returnId,
    orderItemId: wanted.orderItemId,
    reasonId: wanted.reasonId,
    quantity: wanted.quantity,
    approvedQuantity: 0,
    receivedQuantity: 0,
    note: wanted.note || null,
    media: [...(wanted.media ?? [])],
    condition: null,
    restock: false,
    refundCents: worthOf(line.item, wanted.quantity),
    createdAt: now,
    updatedAt: now,
  };
}
