import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { money, orRefused, requireRefunder } from '../desk/index.ts';
import { REFUND_TO } from '../payments/index.ts';
import { previewSettling, refund, type Settling } from './settle.ts';
import { itemsShown, returnPage, stepPage } from './step-pages.ts';

const WAYS = [
  ['original', 'Original payment method'],
  ['gift_card', 'A new gift card'],
  ['offline', 'Refunded by hand'],
] as const;

const RefundForm = later(() =>
  z.object({
    fee: text({ max: 30, trim: true }),
    shipping: text({ max: 30, trim: true }),
    to: oneOf(REFUND_TO),
    do: optional(oneOf(['check', 'apply'])),
  }),
);
type Sent = z.output<typeof RefundForm>;

async function modelOf(ctx: Ctx, id: string, values: Partial<Sent> = {}) {
  const { one, order, ...shown } = await itemsShown(ctx, id, (item) => item.receivedQuantity);
  const { feeCents, to } = await orRefused(() => previewSettling(ctx, id, {}));
  const fee = decimalOf({ amountCents: feeCents, currency: order.currency });
  return {
    ...shown,
    action: `${returnPage(one.id)}/refund`,
    ways: WAYS,
    wanted: one.resolution.replace('_', ' '),
    values: { fee, shipping: '', to, ...values },
    preview: null as object | null,
  };
}

/** An amount of a field; empty is none. @throws a refusal of the form */
function centsIn(field: 'fee' | 'shipping', sent: Sent, currency: string): number {
  const typed = sent[field];
  if (typed === '') return 0;
  const read = amountIn(typed, currency);
  if ('fault' in read) throw refuseForm('The return was not refunded', { [field]: read.fault });
  return read.value;
}

/** Refunds what has arrived: first what would go back and what is left then, then the refund. */
export const refundReturnPage: Page = page({
  ...stepPage,
  path: '/store/returns/{id}/refund',
  title: 'Refund return',
  audience: { staff: 'orders:refund' },
  form: RefundForm,
  show: async (ctx, { params: { id } }) => show('store/return-refund', await modelOf(ctx, id)),
  async submit(ctx, { params: { id }, form }) {
    requireRefunder(ctx);
    const { currency } = await itemsShown(ctx, id, () => 0);
    const how: Settling = {
      restockingFeeCents: centsIn('fee', form, currency),
      shippingCents: centsIn('shipping', form, currency),
      to: form.to,
    };
    if (form.do === 'apply') {
      await orRefused(() => refund(ctx, id, how), 'fee');
      return goTo(returnPage(id));
    }
    const { valueCents, feeCents, shippingCents, beforeCents, amountCents, leftCents } = await orRefused(
      () => previewSettling(ctx, id, how),
      'fee',
    );
    const words = (cents: number) => money(cents, currency);
    const preview = {
      worth: words(valueCents),
      kept: words(feeCents + beforeCents),
      shipping: words(shippingCents),
      amount: words(amountCents),
      before: words(leftCents),
      after: words(leftCents - amountCents),
      to: WAYS.find(([way]) => way === form.to)?.[1] ?? '',
    };
    return show('store/return-refund', { ...(await modelOf(ctx, id, form)), preview });
  },
});
