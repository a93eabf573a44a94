import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page } from '#kernel/http/page.ts';
import { limits } from '#storefront/contract/limits.ts';
import { featureSettings } from '#storefront/contract/settings.ts';
import { customerIdOf } from '#storefront/people/customers/index.ts';
import { claim, ownedBy } from '#storefront/pricing/gift-cards/index.ts';
import { wordsOf } from '../shop/index.ts';
import { AccountQuery, accountPage, shownAccount } from './frame.ts';
import { ACCOUNT } from './nav.ts';
import { doneAt } from './own-pages.ts';
import { refuseWith } from './refusals.ts';

const PATH = `${ACCOUNT}/gift-cards`;
const SHOWN = 100;

/** Gift cards of a customer (shop-pages 2.6). */
const giftCardsPage = page({
  ...accountPage,
  enabledBy: featureSettings.gift_cards_enabled,
  path: PATH,
  title: 'Your gift cards',
  query: AccountQuery.extend({ done: z.literal('1').optional().catch(undefined) }),
  form: z.object({ code: text({ max: 1000 }).default('') }),
  limit: { submit: [limits.giftCardClaim] },
  async show(ctx, { query, visitor }) {
    const id = customerIdOf(ctx);
    const { cards } = await ownedBy(ctx, id, 1, SHOWN);
    return shownAccount(ctx, visitor, {
      view: 'shop/account-gift-cards',
      path: PATH,
      title: 'account.gift_cards',
      lang: query.lang,
      data: (words) => ({
        isDone: query.done !== undefined,
        cards: cards.map((card) => ({
          last4: card.last4,
          worth: words.money(card.initialCents, card.currency),
          left: card.ownerCustomerId === id ? words.money(card.balanceCents, card.currency) : null,
        })),
      }),
    });
  },
  async submit(ctx, { form, query, visitor }) {
    const { t } = await wordsOf(ctx, visitor, query.lang);
    try {
      await claim(ctx, customerIdOf(ctx), form.code);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const wrong = t('refused.GIFT_CARD_INVALID');
      throw refuseWith(wrong, { code: wrong });
    }
    return goTo(doneAt(PATH, query.lang));
  },
});

export const giftCardPages: readonly Page[] = [giftCardsPage];
