import { z } from 'zod';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { text } from '#kernel/http/fields.ts';
import { FormRefusal, goTo, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { cardsOf } from '#storefront/catalog/search/index.ts';
import { amountIn } from '#storefront/contract/amount.ts';
import { limits } from '#storefront/contract/limits.ts';
import { dayIn, startOfDay } from '#storefront/contract/local-day.ts';
import { giftCardMaxCents, giftCardMinCents } from '#storefront/contract/selling-settings.ts';
import { currencyCode, featureSettings, timezone } from '#storefront/contract/settings.ts';
import { shopperEmail } from '#storefront/contract/shopper-email.ts';
import type { GiftData } from '#storefront/orders/orders/index.ts';
import { type Crumb, languageHead, type ShopWords, seoOf, shopPage, wordsOf } from '../shop/index.ts';
import { CART } from './cart-page.ts';
import { refusedIn } from './refusals.ts';

export const GIFT_CARDS = '/shop/gift-cards';
const MOST = 2000;
const MOST_MESSAGE = 1000;
const MOST_NAME = 100;
/** Beside the amounts that are offered: what somebody types. */
const OTHER = 'other';
const YEAR_SECONDS = 365 * SECONDS_PER_DAY;

const Query = later(() =>
  z.object({
    lang: z.string().max(20).optional().catch(undefined),
    card: z.string().max(255).optional().catch(undefined),
  }),
);
const field = () => text({ max: MOST }).default('');
const NAMES = [
  'card',
  'amount',
  'other',
  'recipient_email',
  'recipient_name',
  'sender_name',
  'message',
  'send_on',
] as const;
type Sent = Readonly<Record<(typeof NAMES)[number], string>>;

interface Asked {
  readonly query: z.output<typeof Query>;
  readonly visitor: Visitor;
}

/** Between what amounts a card can be, in words. */
function boundsOf(ctx: Ctx, { money }: ShopWords) {
  const currency = ctx.settings.get(currencyCode);
  return {
    least: money(ctx.settings.get(giftCardMinCents), currency),
    most: money(ctx.settings.get(giftCardMaxCents), currency),
  };
}

/** The amounts that a card is offered with: what its variants cost, within the bounds of the shop. */
const amountsOf = (ctx: Ctx, card: carts.CardOnSale): number[] =>
  [...new Set(card.variants.map(({ priceCents }) => priceCents))]
    .filter(
      (cents) => cents >= ctx.settings.get(giftCardMinCents) && cents <= ctx.settings.get(giftCardMaxCents),
    )
    .toSorted((one, other) => one - other);

/** The address of the page. @param more of its query */
function addressOf(lang: string | undefined, more: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams({ ...(lang !== undefined && { lang }), ...more }).toString();
  return GIFT_CARDS + (text === '' ? '' : `?${text}`);
}

/** What can be chosen: the cards by name, and of one of them the amounts. */
async function offerShown(ctx: Ctx, slug: string | undefined, lang: string | undefined, words: ShopWords) {
  const cards = await carts.cardsOnSale(ctx);
  const chosen = cards.find((one) => one.slug === slug) ?? cards[0];
  const currency = ctx.settings.get(currencyCode);
  const [shelved] = chosen ? await cardsOf(ctx, [chosen.productId]) : [];
  const picture = shelved?.image?.variants.medium ?? null;
  return {
    cards: cards.map((one) => ({
      name: one.title,
      href: addressOf(lang, { card: one.slug }),
      isChosen: one.slug === chosen?.slug,
    })),
    card: chosen && { slug: chosen.slug, name: chosen.title, picture },
    amounts: (chosen ? amountsOf(ctx, chosen) : []).map((cents) => ({
      value: String(cents),
      label: words.money(cents, currency),
    })),
    example: decimalOf({ amountCents: ctx.settings.get(giftCardMinCents), currency }),
  };
}

async function shown(ctx: Ctx, { query, visitor }: Asked, sent?: Sent): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, query.lang);
  const lang = query.lang === undefined ? undefined : words.lang;
  const offer = await offerShown(ctx, sent?.card || query.card, lang, words);
  const title = words.t('gift_card.buy_title');
  const crumbs: Crumb[] = [
    { label: words.t('nav.home'), href: '/shop/' },
    { label: title, href: GIFT_CARDS },
  ];
  const description = words.t('gift_card.buy_intro');
  const index = offer.cards.length > 0;
  const zone = ctx.settings.get(timezone);
  const data = {
    ...words,
    ...offer,
    title,
    crumbs,
    seo: seoOf(ctx, { path: GIFT_CARDS, lang: query.lang, description, index, ld: [] }),
    action: addressOf(lang),
    bounds: boundsOf(ctx, words),
    days: { min: dayIn(ctx.now(), zone), max: dayIn(addSeconds(ctx.now(), YEAR_SECONDS), zone) },
    balance: `${GIFT_CARDS}/balance${lang === undefined ? '' : `?lang=${lang}`}`,
  };
  return show('shop/gift-cards', data, {
    values: { amount: offer.amounts[0]?.value ?? OTHER, ...sent },
    head: languageHead(query.lang),
  });
}

/** What the form asks for. @throws FormRefusal with a text for each field that is wrong */
function wishIn(ctx: Ctx, sent: Sent, words: ShopWords): GiftData {
  const { t } = words;
  const faults: Record<string, string> = {};
  const typed = sent.amount === OTHER ? amountIn(sent.other, ctx.settings.get(currencyCode)) : null;
  const amountCents = typed === null ? Number(sent.amount) : 'value' in typed ? typed.value : Number.NaN;
  const isWithin =
    amountCents >= ctx.settings.get(giftCardMinCents) && amountCents <= ctx.settings.get(giftCardMaxCents);
  if (!Number.isSafeInteger(amountCents) || !isWithin)
    faults[typed === null ? 'amount' : 'other'] = t('gift_card.amount_invalid', boundsOf(ctx, words));
  if (sent.recipient_email !== '' && !shopperEmail().safeParse(sent.recipient_email).success)
    faults.recipient_email = t('form.email_invalid');
  for (const name of ['recipient_name', 'sender_name'] as const) {
    if (sent[name].length > MOST_NAME) faults[name] = t('form.too_long');
    else if (/[\p{Cc}\u2028\u2029]/u.test(sent[name])) faults[name] = t('form.one_line');
  }
  if (sent.message.length > MOST_MESSAGE) faults.message = t('form.too_long');
  const sendAt = timeIn(ctx, sent.send_on);
  if (sendAt === undefined) faults.send_on = t('gift_card.date_invalid');
  const [first] = Object.values(faults);
  if (first !== undefined) throw refuseForm(first, faults);
  return {
    amountCents,
    recipientEmail: sent.recipient_email || null,
    recipientName: sent.recipient_name.trim() || null,
    senderName: sent.sender_name.trim() || null,
    message: sent.message.trim() || null,
    sendAt: sendAt ?? null,
  };
}

/** When a card is sent: null for at once, which today means too; undefined for a day that cannot be chosen. */
function timeIn(ctx: Ctx, day: string): string | null | undefined {
  const zone = ctx.settings.get(timezone);
  const now = ctx.now();
  if (day === '' || day === dayIn(now, zone)) return null;
  const at = startOfDay(day, zone);
  return at !== null && at > now && at <= addSeconds(now, YEAR_SECONDS) ? at : undefined;
}

/** Gift cards on sale: an amount, for whom, and when it is sent (shop-pages 2.1). */
export const giftCardsPage = page({
  ...shopPage,
  path: GIFT_CARDS,
  title: 'Gift cards',
  enabledBy: featureSettings.gift_cards_enabled,
  query: Query,
  form: later(() => z.object(Object.fromEntries(NAMES.map((name) => [name, field()])))),
  limit: { submit: [limits.cartAdd] },
  show: (ctx, asked) => shown(ctx, asked),
  async submit(ctx, { form, ...asked }) {
    const sent = form as Sent;
    const words = await wordsOf(ctx, asked.visitor, asked.query.lang);
    try {
      const giftCard = wishIn(ctx, sent, words);
      const card = (await carts.cardsOnSale(ctx)).find(({ slug }) => slug === sent.card);
      const sold = card?.variants.find(({ priceCents }) => priceCents === giftCard.amountCents);
      const variantId = (sold ?? card?.variants[0])?.id ?? '';
      await carts.add(ctx, carts.ownerOf(asked.visitor), { variantId, quantity: 1, giftCard });
    } catch (error) {
      const again = await shown(ctx, asked, sent);
      const refused = error instanceof FormRefusal ? error : refusedIn(words, error);
      return 'view' in again ? { ...again, refused } : again;
    }
    carts.markSession(ctx, asked.visitor);
    return goTo(asked.query.lang === undefined ? CART : `${CART}?lang=${words.lang}`);
  },
});
