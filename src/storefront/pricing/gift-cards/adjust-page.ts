import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { decimalOf, moneyWords } from '#kernel/money-words.ts';
import { PANEL } from '#platform/panel/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { adjust, adjusted, get } from './gift-cards.ts';
import type { GiftCard } from './record.ts';
import { GiftCardAdjustment } from './schemas.ts';

const itemPath = (id: string): string => `/store/gift-cards/${encodeURIComponent(id)}`;

const words = (amountCents: number, { currency }: GiftCard): string =>
  moneyWords({ amountCents, currency }, 'en');

/** What the form shows by which a balance is changed. */
export async function adjustTab(ctx: Ctx, id: string): Promise<Record<string, unknown>> {
  const card = await get(ctx, id);
  return {
    action: `${itemPath(id)}/balance`,
    after: itemPath(id),
    last4: card.last4,
    currency: card.currency,
    balance: words(card.balanceCents, card),
    held: card.heldCents === 0 ? null : words(card.heldCents, card),
    preview: null,
  };
}

/** `-5.00` in the smallest unit. @throws a refusal of the form */
function deltaIn(typed: string, { currency }: GiftCard): number {
  const [, sign = '', amount = ''] = /^\s*([+\-−]?)(.*)$/s.exec(typed) ?? [];
  const read = amountIn(amount, currency);
  const example = decimalOf({ amountCents: -500, currency });
  if ('fault' in read)
    throw refuseForm('The amount is not valid', { amount: `${read.fault}, or ${example}` });
  return sign === '' || sign === '+' ? read.value : -read.value;
}

/** Changes a balance by hand: first what it was and would be, then the change. */
const balancePage = page({
  path: '/store/gift-cards/{id}/balance',
  title: 'Adjust balance',
  audience: { staff: 'gift_cards:write' },
  layout: PANEL,
  help: 'gift-cards',
  params: z.object({ id: text({ min: 1, max: 255 }) }),
  form: z.object({
    amount: text({ max: 30, trim: true }),
    reason: text({ max: 500, trim: true }),
    do: optional(oneOf(['check', 'apply'])),
  }),
  show: async (ctx, { params: { id } }) => show('store/gift-card-adjust-page', await adjustTab(ctx, id)),
  async submit(ctx, { params: { id }, form }) {
    const card = await get(ctx, id);
    const input = inputOf(form, card);
    if (form.do === 'apply') {
      await orRefused(() => adjust(ctx, id, input));
      return goTo(`${itemPath(id)}?done=adjust`);
    }
    const after = await orRefused(async () => adjusted(card, input.deltaCents));
    const preview = {
      ...form,
      before: words(card.balanceCents, card),
      change: words(input.deltaCents, card),
      after: words(after.balanceCents, card),
    };
    return show('store/gift-card-adjust-page', { ...(await adjustTab(ctx, id)), preview });
  },
});

function inputOf({ amount, reason }: { amount: string; reason: string }, card: GiftCard) {
  const { success, data, error } = GiftCardAdjustment.safeParse({
    deltaCents: deltaIn(amount, card),
    reason,
  });
  if (success) return data;
  const faults = error.issues.map(({ path: [name], message }) => [
    name === 'reason' ? 'reason' : 'amount',
    message,
  ]);
  throw refuseForm('The balance was not changed', Object.fromEntries(faults));
}

/** What the state of the card refuses is said at the amount. */
async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || ![400, 409].includes(error.status)) throw error;
    const message = error.message.replace(/^delta_cents: /, '');
    throw refuseForm('The balance was not changed', { amount: message });
  }
}

export const giftCardPages: readonly Page[] = [balancePage];
