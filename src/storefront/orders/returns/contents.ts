import type { Ctx } from '#kernel/context.ts';
import { money, stateWords } from '../desk/index.ts';
import { get } from './returns.ts';
import { allowedIn, type Trigger } from './states.ts';
import { type WholeReturn, wholeReturn } from './view.ts';

const PAGES: Partial<Record<Trigger, string>> = {
  approve: 'Approve',
  receive: 'Receive',
  refund: 'Refund',
  exchange: 'Exchange',
};

/** What stands in a return, for the page of staff: lines, money, what can be done, and what was written. */
export async function returnContents(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const whole = await wholeReturn(ctx, await get(ctx, id));
  const { one, order, items, lines, reasons } = whole;
  const words = (cents: number) => money(cents, order.currency);
  return {
    ways: allowedIn(one.status).flatMap((trigger) => {
      const label = PAGES[trigger];
      return label === undefined ? [] : [{ label, href: `/store/returns/${one.id}/${trigger}` }];
    }),
    items: items.map((item) => {
      const line = lines.get(item.orderItemId);
      return {
        sku: line?.sku ?? '',
        title: [line?.title, line?.variantTitle].filter((part) => part).join(', '),
        asked: item.quantity,
        approved: item.approvedQuantity,
        received: item.receivedQuantity,
        reason: reasons.get(item.reasonId)?.label ?? '',
        note: item.note,
        media: item.media,
        condition: item.condition === null ? '' : stateWords(item.condition),
        restock: item.restock,
        worth: words(item.refundCents),
      };
    }),
    photos: `/store/returns/${one.id}/photos/`,
    instructions: one.instructions,
    money: moneyRows(whole, words),
    messages: whole.messages.map(({ authorType, author, body, isInternal, createdAt }) => ({
      who: authorType === 'customer' ? 'Customer' : (author ?? 'The program'),
      body,
      isInternal,
      at: createdAt,
    })),
  };
}

function moneyRows({ one, items, refunds }: WholeReturn, words: (cents: number) => string) {
  const worth = items.reduce((sum, { refundCents }) => sum + refundCents, 0);
  return [
    { label: 'Value of the items', amount: words(worth) },
    ...(one.restockingFeeCents > 0
      ? [{ label: 'Restocking fee', amount: words(-one.restockingFeeCents) }]
      : []),
    ...refunds.map(({ refundNumber, status, amountCents, to }) => ({
      label: `Refund ${refundNumber} (${status}, ${stateWords(to)})`,
      amount: words(amountCents),
    })),
  ];
}
