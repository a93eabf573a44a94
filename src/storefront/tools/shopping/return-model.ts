import type { Ctx } from '#kernel/context.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import type { Order } from '#storefront/orders/orders/index.ts';
import * as returns from '#storefront/orders/returns/index.ts';
import type { ShopWords } from '../shop/index.ts';
import { type TimeShown, timeIn } from './order-model.ts';

type Reason = Awaited<ReturnType<typeof returns.offeredReasons>>[number];

/** A reason in the language of the page: those that every shop begins with have words in each. */
const reasonWords = ({ code, label }: Reason, { t }: ShopWords): string =>
  code === null ? label : t(`return.reason_${code}`);

const titleOf = ({ title, variantTitle }: { title: string; variantTitle: string | null }): string =>
  variantTitle === null ? title : `${title} (${variantTitle})`;

/** What of an order can be returned, for its form. */
export async function returnableShown(ctx: Ctx, order: Order, words: ShopWords) {
  const { t, money } = words;
  const day = timeIn(ctx, words, 'day');
  const lines = await returns.returnableLines(ctx, order);
  const wishes = returns.RESOLUTIONS.filter(
    (one) => one !== 'store_credit' || ctx.settings.get(featureSettings.gift_cards_enabled),
  );
  return {
    once: ctx.newId('frm'),
    orderNumber: order.orderNumber,
    isPossible: lines.some(({ why }) => why === null),
    lines: lines.map(({ item, quantity, why, deadline, unitRefundCents }) => ({
      id: item.id,
      title: titleOf(item),
      quantity,
      why: why === null ? null : t(`return.why_${why}`),
      until: why === null && deadline !== null ? day(deadline) : null,
      worth: money(unitRefundCents, order.currency),
    })),
    reasons: (await returns.offeredReasons(ctx)).map((one) => ({
      id: one.id,
      label: reasonWords(one, words),
      needsNote: one.requiresNote,
      needsPhoto: one.requiresPhoto,
    })),
    wishes: wishes.map((one) => ({ value: one, label: t(`return.resolution_${one}`) })),
  };
}

/** A line of a list of returns. */
export interface ReturnLine {
  readonly number: string;
  readonly state: string;
  readonly at: TimeShown;
  readonly href: string;
}

/** The returns of an order. @param hrefOf the page of one of them */
export async function returnsShown(
  ctx: Ctx,
  order: Order,
  words: ShopWords,
  hrefOf: (number: string) => string,
): Promise<ReturnLine[]> {
  if (!ctx.settings.get(featureSettings.returns_enabled)) return [];
  const day = timeIn(ctx, words, 'day');
  return (await returns.returnsOf(ctx, order.id)).map(({ returnNumber, status, requestedAt }) => ({
    number: returnNumber,
    state: words.t(`return.state_${status}`),
    at: day(requestedAt),
    href: hrefOf(returnNumber),
  }));
}

/** An address of the web that a page may lead to; null for anything else. */
const webAddress = (url: string | null): string | null =>
  url !== null && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null;

/** A return as its customer sees it. */
export async function returnShown(ctx: Ctx, one: returns.Return, words: ShopWords) {
  const { t, money } = words;
  const whole = await returns.wholeReturn(ctx, one);
  const { order, items, lines, reasons, refunds, messages } = whole;
  const [day, minute] = [timeIn(ctx, words, 'day'), timeIn(ctx, words, 'minute')];
  const allowed = returns.allowedIn(one.status);
  const isWaiting = one.status === 'approved' || one.status === 'in_transit';
  return {
    number: one.returnNumber,
    orderNumber: order.orderNumber,
    state: t(`return.state_${one.status}`),
    requestedAt: day(one.requestedAt),
    wish: t(`return.resolution_${one.resolution}`),
    items: items.map((item) => {
      const line = lines.get(item.orderItemId);
      const reason = reasons.get(item.reasonId);
      return {
        quantity: one.status === 'requested' ? item.quantity : item.approvedQuantity || item.quantity,
        title: line ? titleOf(line) : '',
        reason: reason ? reasonWords(reason, words) : '',
        note: item.note,
        photos: item.media,
      };
    }),
    instructions: isWaiting ? one.instructions : null,
    label: isWaiting ? webAddress(one.labelUrl) : null,
    hasLabel: isWaiting && one.labelKey !== null,
    sendBy: isWaiting && one.returnBy !== null ? day(one.returnBy) : null,
    tracking: [one.carrier, one.trackingNumber].filter(Boolean).join(' '),
    reason: one.status === 'rejected' || one.outcome === 'none' ? one.endReason : null,
    exchangeNumber: whole.exchangeNumber,
    refunds: refunds.map(({ refundNumber, status, amountCents }) => ({
      label: `${refundNumber} · ${t(`order.refund_${status}`)}`,
      amount: money(amountCents, order.currency),
    })),
    messages: messages
      .filter(({ isInternal }) => !isInternal)
      .map(({ authorType, body, createdAt }) => ({
        who: t(authorType === 'customer' ? 'return.from_you' : 'return.from_us'),
        at: minute(createdAt),
        body,
      })),
    canTrack: allowed.includes('track'),
    canCancel: allowed.includes('cancel'),
    canWrite: one.status !== 'cancelled',
  };
}
