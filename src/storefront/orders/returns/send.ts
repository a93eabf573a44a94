import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { escapeHtml, queueMail } from '#platform/mail/index.ts';
import { timezone } from '#storefront/contract/settings.ts';
import * as orders from '../orders/index.ts';
import {
  returnApprovedMail,
  returnCompletedMail,
  returnExpiredMail,
  returnMessageMail,
  returnReceivedMail,
  returnRejectedMail,
  returnRequestedMail,
} from './mails.ts';
import type { Return, ReturnItem, ReturnMessage } from './record.ts';
import * as repo from './repository.ts';

/** The page of a return, below the page of its order. */
export const returnPath = (orderPath: string, returnNumber: string): string =>
  `${orderPath}/returns/${encodeURIComponent(returnNumber)}`;

const frame = (order: orders.Order, one: Return, step: string) => ({
  to: { address: order.email, name: null },
  locale: order.locale,
  dedupe: `${one.id}:${step}`,
  related: { type: 'order', id: order.id },
});

async function named(ctx: Ctx, order: orders.Order, one: Return) {
  const path = returnPath(orders.orderPath(await orders.openAccess(ctx, order)), one.returnNumber);
  return {
    return_number: one.returnNumber,
    order_number: order.orderNumber ?? '',
    return_url: new URL(path, ctx.baseUrl).href,
  };
}

/** What is asked back, approved or here: each by the last quantity that is known. */
const unitsIn = ({ status }: Return, item: ReturnItem): number => {
  if (status === 'requested') return item.quantity;
  return status === 'approved' ? item.approvedQuantity : item.receivedQuantity;
};

async function itemsHtml(ctx: Ctx, order: orders.Order, one: Return): Promise<string> {
  const lines = new Map((await orders.itemsOf(ctx, order.id)).map((line) => [line.id, line]));
  return (await repo.itemsOf(ctx, one.id))
    .flatMap((item) => {
      const units = unitsIn(one, item);
      const line = lines.get(item.orderItemId);
      if (units === 0 || !line) return [];
      const title = line.variantTitle === null ? line.title : `${line.title} (${line.variantTitle})`;
      return [`<p>${escapeHtml(`${units} × ${title}`)}</p>`];
    })
    .join('');
}

function dayOf(ctx: Ctx, { locale }: orders.Order, iso: string | null): string {
  if (iso === null) return '';
  const format = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeZone: ctx.settings.get(timezone),
  });
  return format.format(Date.parse(iso));
}

const paragraphs = (text: string | null): string =>
  text === null
    ? ''
    : text
        .split(/\n{2,}/)
        .map((one) => `<p>${escapeHtml(one).replaceAll('\n', '<br>')}</p>`)
        .join('');

type Step =
  | 'return_requested'
  | 'return_approved'
  | 'return_rejected'
  | 'return_received'
  | 'return_completed'
  | 'return_expired';

/**
 * Writes to the customer how far a return is: once for each step, but for one that was opened again.
 *
 * @param amountCents what goes back, with `return_completed`
 */
export async function mailReturn(
  ctx: Ctx,
  order: orders.Order,
  one: Return,
  step: Step,
  amountCents = 0,
): Promise<void> {
  const names = await named(ctx, order, one);
  const about = frame(order, one, step === 'return_completed' ? `${step}:${one.closedAt}` : step);
  switch (step) {
    case 'return_requested':
    case 'return_received': {
      const mail = step === 'return_requested' ? returnRequestedMail : returnReceivedMail;
      await queueMail(ctx, mail, {
        ...about,
        values: { ...names, items_html: await itemsHtml(ctx, order, one) },
      });
      return;
    }
    case 'return_approved':
      await mailApproved(ctx, order, one, { about, names });
      return;
    case 'return_rejected':
      await queueMail(ctx, returnRejectedMail, {
        ...about,
        values: { ...names, reason: one.endReason ?? '' },
      });
      return;
    case 'return_expired': {
      const values = { ...names, return_by: dayOf(ctx, order, one.returnBy) };
      await queueMail(ctx, returnExpiredMail, { ...about, values });
      return;
    }
    case 'return_completed': {
      const { currency, locale } = order;
      const amount = amountCents === 0 ? '' : moneyWords({ amountCents, currency }, locale);
      await queueMail(ctx, returnCompletedMail, {
        ...about,
        values: { ...names, amount, reason: one.endReason ?? '' },
      });
    }
  }
}

interface Envelope {
  readonly about: ReturnType<typeof frame>;
  readonly names: Awaited<ReturnType<typeof named>>;
}

async function mailApproved(
  ctx: Ctx,
  order: orders.Order,
  one: Return,
  { about, names }: Envelope,
): Promise<void> {
  await queueMail(ctx, returnApprovedMail, {
    ...about,
    values: {
      ...names,
      items_html: await itemsHtml(ctx, order, one),
      instructions_html: paragraphs(one.instructions),
      label_url: one.labelUrl ?? (one.labelKey === null ? '' : `${names.return_url}/label.pdf`),
      return_by: dayOf(ctx, order, one.returnBy),
    },
  });
}

/** Sends what staff wrote to the customer. */
export async function mailReturnMessage(
  ctx: Ctx,
  order: orders.Order,
  one: Return,
  { id, body }: ReturnMessage,
): Promise<void> {
  await queueMail(ctx, returnMessageMail, {
    ...frame(order, one, id),
    values: { ...(await named(ctx, order, one)), message: body },
  });
}
