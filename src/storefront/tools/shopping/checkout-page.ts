import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { FormRefusal, goTo, page, refuseForm, type Shown, show } from '#kernel/http/page.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { later } from '#kernel/sharing.ts';
import * as carts from '#storefront/buying/cart/index.ts';
import { noteOrdered, placeOrder, waysOf, writeDelivery } from '#storefront/buying/checkout/index.ts';
import { ADDRESS_FIELDS } from '#storefront/contract/address.ts';
import { statesOf } from '#storefront/contract/countries.ts';
import { countriesIn } from '#storefront/contract/country-names.ts';
import { limits } from '#storefront/contract/limits.ts';
import { offlineInstructions } from '#storefront/contract/payment-settings.ts';
import { guestCheckoutEnabled, termsPageSlug, termsRequired } from '#storefront/contract/selling-settings.ts';
import { defaultCountry } from '#storefront/contract/settings.ts';
import { activeProcessors, FAKE_SOURCES } from '#storefront/orders/processors/index.ts';
import { type Crumb, languageHead, type ShopWords, seoOf, shopPage, wordsOf } from '../shop/index.ts';
import { keepAddress, knownCustomer } from './address-book.ts';
import { CART } from './cart-page.ts';
import { deliveryIn, deliveryValues } from './delivery-form.ts';
import { countriesShown, etaWords } from './delivery-words.ts';
import { afterPayment } from './order-pages.ts';
import { refusedIn } from './refusals.ts';
import { cartSum } from './summary.ts';

export const CHECKOUT = '/shop/checkout';
const MOST = 1000;

const field = () => text({ max: MOST }).default('');
const names = [
  'cart',
  'email',
  ...ADDRESS_FIELDS,
  'other_billing',
  ...ADDRESS_FIELDS.map((name) => `billing_${name}`),
  'method',
  'processor',
  'source',
  'note',
  'terms',
  'expected',
  'due',
  'save_address',
  'accepts_marketing',
];
const Form = later(() => z.object(Object.fromEntries(names.map((name) => [name, field()]))));
const Query = later(() =>
  z.object({
    lang: z.string().max(20).optional().catch(undefined),
    /** Of the address book. */
    address: z.string().max(30).optional().catch(undefined),
  }),
);

function methodsShown({ offers, method, cart, price }: carts.CartPrice, words: ShopWords) {
  const { t, money } = words;
  return offers.map((offer) => {
    const isChosen = offer.method.id === method?.method.id;
    const cents = isChosen ? price.shipping.priceCents - price.shipping.discountCents : offer.priceCents;
    return {
      id: offer.method.id,
      name: offer.method.name,
      description: offer.method.description,
      price: cents === 0 ? t('cart.free') : money(cents, cart.currency),
      eta: etaWords(offer, words),
      isChosen,
    };
  });
}

/** Ways to pay that a form offers. */
export const processorsShown = (ctx: Ctx, { t }: ShopWords, wanted: string | undefined) => {
  const active = activeProcessors(ctx);
  const chosen = active.some(({ id }) => id === wanted) ? wanted : active[0]?.id;
  return active.map(({ id, displayName, kind }) => ({
    id,
    name: kind === 'offline' ? t('checkout.offline') : displayName,
    note: kind === 'offline' ? ctx.settings.get(offlineInstructions) : t('checkout.hosted'),
    isOffline: kind === 'offline',
    // Whoever tries the shop says what becomes of the payment.
    sources: id === 'fake' ? FAKE_SOURCES : null,
    isChosen: id === chosen,
  }));
};

/** Whether everything is known that payment needs: then methods and payment are shown. */
const isReady = (priced: carts.CartPrice): boolean =>
  priced.cart.email !== null && (!priced.needsShipping || priced.cart.shippingAddress !== null);

const linesShown = ({ lines, cart }: carts.CartPrice, { money }: ShopWords) =>
  lines.map(({ line, price }) => ({
    title: carts.lineTitle(line),
    quantity: line.quantity,
    total: money(price.subtotalCents, cart.currency),
  }));

/** Where a guest signs in and comes back; null for a customer. */
const signInFrom = (visitor: Visitor, lang: string | undefined): string | null =>
  visitor.customer ? null : `/shop/login?next=${encodeURIComponent(placeOf(lang))}`;

/** What the summary and the payment of the form show. */
function payingShown(ctx: Ctx, priced: carts.CartPrice, words: ShopWords, processor: string | undefined) {
  const terms = ctx.settings.get(termsPageSlug);
  const { totalCents, dueCents } = priced.price.totals;
  return {
    methods: methodsShown(priced, words),
    processors: processorsShown(ctx, words, processor),
    termsHref: terms === null ? null : `/shop/pages/${terms}`,
    isTermsRequired: ctx.settings.get(termsRequired),
    expected: totalCents,
    due: dueCents,
    lines: linesShown(priced, words),
    sum: cartSum(priced, words),
  };
}

/** What somebody sent before, why it was not taken, and the address of the book that they chose. */
interface ShownAgain {
  readonly sent?: Readonly<Record<string, string>>;
  readonly refused?: AppError;
  readonly wanted?: string | undefined;
}

async function shownCheckout(
  ctx: Ctx,
  visitor: Visitor,
  lang: string | undefined,
  { sent, refused, wanted }: ShownAgain = {},
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, lang);
  const priced = await carts.get(ctx, carts.ownerOf(visitor));
  const signInHref = signInFrom(visitor, lang);
  const isBarred = signInHref !== null && !ctx.settings.get(guestCheckoutEnabled);
  if (priced.lines.length === 0 || isBarred) return goTo(isBarred ? signInHref : CART);
  const customer = await knownCustomer(ctx, visitor, priced, { wanted, lang: words.lang });
  const values = {
    ...deliveryValues(priced, ctx.settings.get(defaultCountry)),
    ...customer?.values,
    ...sent,
  };
  const title = words.t('checkout.title');
  const crumbs: Crumb[] = [
    { label: words.t('cart.title'), href: CART },
    { label: title, href: CHECKOUT },
  ];
  const data = {
    ...words,
    ...payingShown(ctx, priced, words, sent?.processor),
    title,
    crumbs,
    seo: seoOf(ctx, { path: CHECKOUT, lang, description: title, index: false, ld: [] }),
    action: lang === undefined ? '' : `?lang=${words.lang}`,
    cartId: priced.cart.id,
    signInHref,
    isCustomer: customer !== null,
    offersNews: !customer?.acceptsMarketing,
    book: customer?.choices ?? [],
    needsShipping: priced.needsShipping,
    isReady: isReady(priced),
    isNowhere: priced.needsShipping && isReady(priced) && priced.offers.length === 0,
    countries: await countriesShown(ctx, priced.needsShipping, words.lang),
    allCountries: countriesIn(words.lang),
    states: statesOf(values.country ?? ''),
    hasCompany: Boolean(values.company || values.line2 || values.phone),
  };
  return {
    ...show('shop/checkout', data, { values, head: languageHead(lang) }),
    ...(refused && { refused }),
  };
}

/** The first method counts as chosen while nobody chose one: nobody is asked where there is nothing to choose. */
async function chooseOnly(ctx: Ctx, owner: carts.Owner): Promise<void> {
  const { offers, method, needsShipping } = await carts.get(ctx, owner);
  if (needsShipping && !method && offers[0])
    await carts.writeExisting(ctx, owner, { shippingMethodId: offers[0].method.id });
}

type Sent = Readonly<Record<string, string>>;

/** Writes what was filled in into the cart, then goes on; what is refused is said beside the form. */
async function taken(
  ctx: Ctx,
  { form, lang, visitor }: { form: Sent; lang: string | undefined; visitor: Visitor },
  next: (words: ShopWords, owner: carts.Owner) => Promise<Shown>,
): Promise<Shown> {
  const words = await wordsOf(ctx, visitor, lang);
  const owner = carts.ownerOf(visitor);
  try {
    const { lines, needsShipping } = await carts.get(ctx, owner);
    if (lines.length > 0) {
      const cartId = form.cart || undefined;
      const writing = { locale: words.lang, ordering: true, cartId };
      await writeDelivery(ctx, owner, deliveryIn(form, needsShipping, words), writing);
      carts.markSession(ctx, visitor);
    }
    await chooseOnly(ctx, owner);
    return await next(words, owner);
  } catch (error) {
    const refused = error instanceof FormRefusal ? error : refusedIn(words, error);
    return shownCheckout(ctx, visitor, lang, { sent: form, refused });
  }
}

const base = { ...shopPage, query: Query, form: Form } as const;

/**
 * The checkout (shop-pages 2): one page with contact, address, shipping and payment. Without an address it asks for that
 * first; what was filled in stays in the cart.
 */
export const checkoutPage = page({
  ...base,
  path: CHECKOUT,
  title: 'Checkout',
  limit: { submit: [limits.checkout] },
  show: (ctx, { query, visitor }) => shownCheckout(ctx, visitor, query.lang, { wanted: query.address }),
  submit: (ctx, { form: sent, query: { lang }, visitor }) => {
    const form = sent as Sent;
    return taken(ctx, { form, lang, visitor }, async (words, owner) => {
      const wrong = termsFault(ctx, form, words);
      if (wrong) throw wrong;
      const ordered = await carts.get(ctx, owner);
      const placed = await placeOrder(
        ctx,
        owner,
        { ...placeInput(form), consentText: words.t('account.marketing') },
        waysOf(ctx, lang),
      );
      noteOrdered(visitor, placed);
      if (form.save_address === '1') await keepAddress(ctx, owner, ordered);
      return afterPayment(ctx, visitor, placed, lang);
    });
  },
});

/** Stores contact, address and shipping, and shows what they cost: the button of the same form that does not order. */
export const detailsPage = page({
  ...base,
  path: `${CHECKOUT}/details`,
  title: 'Checkout',
  limit: { submit: [limits.checkoutForm] },
  show: async (_ctx, { query: { lang } }) => goTo(placeOf(lang)),
  submit: (ctx, { form, query: { lang }, visitor }) =>
    taken(ctx, { form: form as Sent, lang, visitor }, async () => goTo(`${placeOf(lang)}#payment`)),
});

const placeOf = (lang: string | undefined): string =>
  lang === undefined ? CHECKOUT : `${CHECKOUT}?lang=${encodeURIComponent(lang)}`;

const centsIn = (typed = ''): number | undefined => (/^\d{1,12}$/.test(typed) ? Number(typed) : undefined);

const placeInput = (form: Sent) => ({
  processor: form.processor || null,
  sourceId: form.source || null,
  expectedTotalCents: centsIn(form.expected),
  expectedDueCents: centsIn(form.due),
  termsAccepted: form.terms === '1',
  cartId: form.cart || undefined,
});

function termsFault(ctx: Ctx, form: Sent, { t }: ShopWords): FormRefusal | null {
  if (!ctx.settings.get(termsRequired) || form.terms === '1') return null;
  const text = t('checkout.terms_missing');
  return refuseForm(text, { terms: text });
}
