import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { cardsOf } from '#storefront/catalog/search/index.ts';
import { limits } from '#storefront/contract/limits.ts';
import { defaultCountry } from '#storefront/contract/settings.ts';
import {
  type Crumb,
  languageHead,
  productHref,
  type ShopWords,
  seoOf,
  shopPage,
  wordsOf,
} from '../shop/index.ts';
import { countriesShown, etaWords } from './delivery-words.ts';
import { giftNotes } from './order-model.ts';
import { refusedIn } from './refusals.ts';
import { cartSum } from './summary.ts';

export const CART = '/shop/cart';
const Query = later(() => z.object({ lang: z.string().max(20).optional().catch(undefined) }));

/** `2`: what a field of a form says; everything else counts as nothing. */
const whole = (value: string): number => (/^\d{1,4}$/.test(value) ? Number(value) : Number.NaN);

async function linesShown(ctx: Ctx, { lines, cart }: carts.CartPrice, words: ShopWords) {
  const { money, t } = words;
  const cards = await cardsOf(ctx, [...new Set(lines.map(({ line }) => line.productId))]);
  const pictures = new Map(cards.map(({ id, image }) => [id, image]));
  return lines.map(({ line, unitCents, price }) => {
    const off = price.itemDiscountCents + price.orderDiscountCents;
    const isShort = line.available !== null && line.available < line.quantity;
    return {
      id: line.itemId,
      href: productHref(line.slug),
      title: line.productTitle,
      variant: line.variantTitle === 'Default' ? null : line.variantTitle,
      picture: pictures.get(line.productId)?.thumbnail ?? null,
      quantity: line.quantity,
      most: Math.min(999, line.maxQuantity ?? 999, line.available ?? 999),
      unit: money(unitCents, cart.currency),
      was: off > 0 ? money(price.subtotalCents, cart.currency) : null,
      total: money(price.subtotalCents - off, cart.currency),
      notes: giftNotes(ctx, line.giftCard, words),
      warning: isShort
        ? t(line.available === 0 ? 'stock.out' : 'stock.left', { count: line.available ?? 0 })
        : null,
    };
  });
}

/** What has changed, in words. */
function newsOf(priced: carts.CartPrice, { t, money }: ShopWords): string[] {
  const { currency } = priced.cart;
  return carts.changesOf(priced).map(({ kind, title, before, after }) => {
    if (kind === 'price' || kind === 'promotion')
      return t(`cart.change_${kind}`, {
        title,
        before: money(before, currency),
        after: money(after, currency),
      });
    return t(`cart.change_${kind}`, { title, before, after });
  });
}

function codesShown({ codes, price }: carts.CartPrice, { t }: ShopWords) {
  const applied = new Set(price.applied.filter(({ amountCents }) => amountCents > 0).map(({ code }) => code));
  return codes
    .filter(({ kind }) => kind === 'promotion')
    .map(({ shown, codeNorm }) => ({
      code: shown,
      note: applied.has(codeNorm) ? null : t('cart.code_idle'),
    }));
}

/** Where somebody asks shipping for. */
interface Destination {
  readonly country: string;
  readonly postalCode: string;
}

/** What shipping would cost to where somebody asks for. */
async function estimateShown(ctx: Ctx, visitor: Visitor, to: Destination, words: ShopWords) {
  const { t, money } = words;
  const place = { country: to.country.toUpperCase(), state: null, postalCode: to.postalCode || null };
  const { offers, totalCents, currency } = await carts.estimate(ctx, carts.ownerOf(visitor), place);
  return {
    methods: offers.map((offer) => ({
      name: offer.method.name,
      eta: etaWords(offer, words),
      price: offer.priceCents === 0 ? t('cart.free') : money(offer.priceCents, currency),
    })),
    total: money(totalCents, currency),
  };
}

/** Where a shopper is, as far as the cart says it. */
function placeShown(ctx: Ctx, { cart }: carts.CartPrice, to: Destination | undefined) {
  const known = cart.shippingAddress;
  return {
    country: to?.country.toUpperCase() ?? known?.country ?? ctx.settings.get(defaultCountry),
    postal_code: to?.postalCode ?? known?.postalCode ?? '',
  };
}

/** What a page of a cart says beside it: why a form was not taken, or what shipping to somewhere costs. */
interface Beside {
  readonly refused?: AppError;
  /** The code that was not taken, for another look at it. */
  readonly code?: string;
  readonly to?: Destination;
}

/** The page of a cart. */
async function shownCart(
  ctx: Ctx,
  visitor: Visitor,
  lang: string | undefined,
  { refused, code, to }: Beside = {},
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, lang);
  const priced = await carts.get(ctx, carts.ownerOf(visitor));
  const title = words.t('cart.title');
  const crumbs: Crumb[] = [
    { label: words.t('nav.home'), href: '/shop/' },
    { label: title, href: CART },
  ];
  const data = {
    ...words,
    title,
    crumbs,
    seo: seoOf(ctx, { path: CART, lang, description: title, index: false, ld: [] }),
    lines: await linesShown(ctx, priced, words),
    news: newsOf(priced, words),
    codes: codesShown(priced, words),
    cards: priced.giftCards.map(({ id, last4 }) => ({ id, last4 })),
    sum: cartSum(priced, words),
    isShippingOpen: priced.needsShipping && priced.method === null,
    wrong: refused?.message ?? null,
    typed: code ?? null,
    canEstimate: priced.needsShipping,
    countries: await countriesShown(ctx, true, words.lang),
    place: placeShown(ctx, priced, to),
    estimate: to && priced.needsShipping ? await estimateShown(ctx, visitor, to, words) : null,
    query: lang === undefined ? '' : `?lang=${words.lang}`,
  };
  return { ...show('shop/cart', data, { head: languageHead(lang) }), ...(refused && { refused }) };
}

const base = { ...shopPage, query: Query } as const;

export const cartPage = page({
  ...base,
  path: CART,
  title: 'Cart',
  show: (ctx, { query, visitor }) => shownCart(ctx, visitor, query.lang),
});

/** What shipping to a place costs, without an address: it writes nothing, so that its form asks for a page. */
export const estimatePage = page({
  ...base,
  path: `${CART}/estimate`,
  title: 'Cart',
  query: later(() =>
    Query.extend({
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/)
        .optional()
        .catch(undefined),
      postal_code: z
        .string()
        .regex(/^[^\p{Cc}]{0,20}$/u)
        .optional()
        .catch(undefined),
    }),
  ),
  show: (ctx, { query, visitor }) => {
    const to = {
      country: query.country ?? ctx.settings.get(defaultCountry),
      postalCode: query.postal_code ?? '',
    };
    return shownCart(ctx, visitor, query.lang, { to });
  },
});

type Work = (ctx: Ctx, owner: carts.Owner, form: Record<string, string>) => Promise<unknown>;

const named = () => text({ max: 200 }).default('');

/** A page that takes one form of the cart and leads back to it; who only looks is led there, too. */
function formPage(action: string, fields: readonly string[], work: Work, more: Partial<Page> = {}): Page {
  const back = (lang: string | undefined): string =>
    lang === undefined ? CART : `${CART}?lang=${encodeURIComponent(lang)}`;
  return page({
    ...base,
    ...(more as object),
    path: `${CART}/${action}`,
    title: 'Cart',
    form: later(() => z.object(Object.fromEntries(fields.map((name) => [name, named()])))),
    show: async (_ctx, { query }) => goTo(back(query.lang)),
    async submit(ctx, { form, query, visitor }) {
      try {
        await work(ctx, carts.ownerOf(visitor), form as Record<string, string>);
      } catch (error) {
        const refused = refusedIn(await wordsOf(ctx, visitor, query.lang), error);
        const code = action === 'coupon' ? (form as Record<string, string>).promotion : undefined;
        return shownCart(ctx, visitor, query.lang, { refused, ...(code !== undefined && { code }) });
      }
      carts.markSession(ctx, visitor);
      return goTo(back(query.lang));
    },
  });
}

/** @throws AppError VALIDATION_ERROR for what is not a quantity */
function quantityIn(value: string | undefined, least: number): number {
  const quantity = whole(value ?? '');
  if (quantity >= least && quantity <= 999) return quantity;
  throw new AppError('VALIDATION_ERROR', 400, 'quantity must be a whole number from 1 to 999');
}

/** The forms of the cart, by the verbs of the JSON (storefront-settled Z30). */
export const cartForms: readonly Page[] = [
  formPage(
    'add',
    ['variant_id', 'quantity'],
    (ctx, owner, form) =>
      carts.add(ctx, owner, {
        variantId: form.variant_id ?? '',
        quantity: quantityIn(form.quantity || '1', 1),
      }),
    { limit: { submit: [limits.cartAdd] } },
  ),
  formPage('update', ['item_id', 'quantity'], (ctx, owner, form) =>
    carts.setQuantity(ctx, owner, { item_id: form.item_id ?? '' }, quantityIn(form.quantity, 0)),
  ),
  formPage('remove', ['item_id'], (ctx, owner, form) =>
    carts.remove(ctx, owner, { item_id: form.item_id ?? '' }),
  ),
  formPage('accept-changes', [], (ctx, owner) => carts.acceptChanges(ctx, owner)),
  formPage('coupon', ['promotion'], (ctx, owner, form) => carts.enterCode(ctx, owner, form.promotion ?? ''), {
    limit: { submit: [limits.cartCode] },
  }),
  formPage('gift-card/remove', ['gift_card_id'], (ctx, owner, form) =>
    carts.detachGiftCard(ctx, owner, form.gift_card_id ?? ''),
  ),
  formPage('coupon/remove', ['promotion'], (ctx, owner, form) =>
    carts.removeCode(ctx, owner, form.promotion ?? ''),
  ),
];
