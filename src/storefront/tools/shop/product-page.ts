import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { movedTo, page, show } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { categoriesAbove } from '#storefront/catalog/categories/index.ts';
import { isGone, relatedIds } from '#storefront/catalog/products/index.ts';
import type { ShopProduct } from '#storefront/catalog/products/view.ts';
import { cardsOf, leftAt, shownProduct } from '#storefront/catalog/search/index.ts';
import { featureSettings, shopNameOf } from '#storefront/contract/settings.ts';
import { oneOfSeveral } from '#storefront/contract/several.ts';
import { worthwhileTiers } from '#storefront/contract/unit-price.ts';
import { cardShown, productHref } from './cards.ts';
import { crumbOf } from './category-page.ts';
import { excerptOf } from './excerpt.ts';
import { keptPage, shownRevision } from './frame.ts';
import { galleryOf } from './images.ts';
import { licenseRows } from './license-terms.ts';
import { availabilityOf, OPTION, optionsShown, slugIn, stockOf, variantOf } from './product-stock.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, type ShopWords, wordsOf } from './words.ts';

type Variant = ShopProduct['variants'][number];

/** Below everything else: loaded when somebody comes there. */
const MANY = 100;

const Query = later(() =>
  z.object({ lang: z.string().max(20).optional().catch(undefined) }).catchall(z.unknown()),
);

/** The values that the address chooses; of the other options those of the first variant. */
function chosenOf({ options, variants }: ShopProduct, query: Readonly<Record<string, unknown>>) {
  const standing = variants[0]?.option_values ?? {};
  const entries = options.map(({ name, values }) => {
    const asked = query[OPTION + name];
    return [name, values.some(({ value }) => value === asked) ? String(asked) : standing[name]] as const;
  });
  return Object.fromEntries(entries);
}

function productLd(ctx: Ctx, product: ShopProduct, description: string | null): object {
  const { title, brand, variants, currency, slug, media } = product;
  const address = new URL(productHref(slug), ctx.baseUrl);
  const offers = variants
    // An offer for nothing is none for search engines.
    .filter(({ unit_cents }) => unit_cents > 0)
    .map(({ sku, unit_cents, option_values, in_stock, available }) => {
      const url = new URL(address);
      for (const [name, value] of Object.entries(option_values)) url.searchParams.set(OPTION + name, value);
      return {
        '@type': 'Offer',
        sku,
        price: decimalOf({ amountCents: unit_cents, currency }),
        priceCurrency: currency,
        availability: `https://schema.org/${availabilityOf(in_stock, available)}`,
        url: url.href,
      };
    });
  return {
    '@type': 'Product',
    name: title,
    ...(description !== null && { description }),
    ...(brand !== null && { brand: { '@type': 'Brand', name: brand } }),
    ...(media.length > 0 && {
      image: media.flatMap(({ url }) => (url === null ? [] : [new URL(url, ctx.baseUrl).href])),
    }),
    sku: variants[0]?.sku,
    offers,
  };
}

const weights = new Map<string, Intl.NumberFormat>();

/** `350 g`, `1.2 kg`. Making a format takes longer than the rest of the page. */
function weightWords(grams: number, lang: string): string {
  const unit = grams >= 1000 ? 'kilogram' : 'gram';
  const key = `${lang} ${unit}`;
  const format =
    weights.get(key) ?? new Intl.NumberFormat(lang, { style: 'unit', unit, maximumFractionDigits: 2 });
  weights.set(key, format);
  return format.format(unit === 'gram' ? grams : grams / 1000);
}

const detailsOf = ({ brand }: ShopProduct, variant: Variant | undefined, { t, lang }: ShopWords) => {
  const weight = variant?.weight_g ?? 0;
  return [
    variant && { label: t('product.sku'), value: variant.sku },
    brand !== null && { label: t('product.brand'), value: brand },
    weight > 0 && {
      label: t('product.weight'),
      value: weightWords(weight, lang),
    },
  ].filter((one) => one !== false && one !== undefined);
};

function offerOf(
  product: ShopProduct,
  variant: Variant | undefined,
  low: ReadonlySet<string>,
  words: ShopWords,
) {
  const { money, t } = words;
  const { currency } = product;
  if (!variant) return null;
  const { compare_at_cents: before, unit_cents: unit } = variant;
  return {
    price: money(unit, currency),
    was: before !== null && before > unit ? money(before, currency) : null,
    breaks: worthwhileTiers({ priceCents: variant.price_cents, currency, tiers: tiersOf(variant) }).map(
      ({ minQuantity, unitCents }) =>
        t('product.break', { quantity: minQuantity, price: money(unitCents, currency) }),
    ),
    stock: stockOf(variant, low, words),
    variantId: variant.in_stock ? variant.id : null,
  };
}

const tiersOf = ({ tiers }: Variant) =>
  tiers.map(({ min_quantity, unit_cents }) => ({ minQuantity: min_quantity, unitCents: unit_cents }));

/** Gift cards are bought where somebody chooses for whom they are; null for other goods. */
function giftCardHref({ settings }: Ctx, { type, slug }: ShopProduct, lang: string | undefined) {
  if (type !== 'gift_card') return null;
  if (!settings.get(featureSettings.gift_cards_enabled)) return null;
  const query = new URLSearchParams({ card: slug, ...(lang !== undefined && { lang }) });
  return `/shop/gift-cards?${query}`;
}

async function relatedTo(ctx: Ctx, { id }: ShopProduct, words: ShopWords) {
  return (await cardsOf(ctx, await relatedIds(ctx, id))).map((card) => cardShown(card, words, MANY));
}

/** @throws AppError 404; 410 for what is no longer sold */
async function productOf(ctx: Ctx, slug: string) {
  const found = await shownProduct(ctx, slug);
  if (found) return found;
  if (await isGone(ctx, slug)) throw new AppError('NOT_FOUND', 410, 'This product is no longer sold');
  throw new AppError('NOT_FOUND', 404, `product ${slug} does not exist`);
}

/** By its category; by the list of all products where it has none. */
async function crumbsOf(ctx: Ctx, { id, title, slug }: ShopProduct, { t }: ShopWords): Promise<Crumb[]> {
  const above = await categoriesAbove(ctx, id);
  return [
    { label: t('nav.home'), href: '/shop/' },
    ...(above.length > 0 ? above.map(crumbOf) : [{ label: t('nav.products'), href: '/shop/products' }]),
    { label: title, href: productHref(slug) },
  ];
}

export const productPage = page({
  ...keptPage,
  // How many are left is said of what is low: the body is another one for each number.
  kept: {
    ...keptPage.kept,
    revision: async (ctx, url) => [await shownRevision(ctx), await leftAt(ctx, slugIn(url))],
  },
  path: '/shop/products/{slug}',
  title: 'Product',
  params: z.object({ slug: text({ min: 1, max: 255 }) }),
  query: Query,
  async show(ctx, { params, query, visitor }) {
    const { product, low } = await productOf(ctx, params.slug);
    if (product.slug !== params.slug) return movedTo(productHref(product.slug));
    const words = await wordsOf(ctx, visitor, query.lang);
    const chosen = chosenOf(product, query);
    const variant = variantOf(product, chosen);
    const description =
      product.seo.description ?? product.short_description ?? excerptOf(product.description_html);
    const crumbs = await crumbsOf(ctx, product, words);
    const gallery = galleryOf(product, variant?.id);
    const price = decimalOf({ amountCents: product.price_cents, currency: product.currency });
    const seo = seoOf(ctx, {
      path: productHref(product.slug),
      lang: query.lang,
      description: description ?? `${product.title} · ${shopNameOf(ctx)}`,
      type: 'product',
      image: gallery[0] ? { ...gallery[0].large, alt: gallery[0].alt } : null,
      price: { amount: price, currency: product.currency },
      ld: [productLd(ctx, product, description), trailOf(ctx, crumbs)],
    });
    const data = {
      ...words,
      title: product.seo.title ?? product.title,
      name: product.title,
      seo,
      crumbs,
      product,
      gallery,
      letter: [...product.title][0]?.toUpperCase() ?? '',
      isLanguageAsked: query.lang !== undefined,
      offer: offerOf(product, variant, low, words),
      giftCardHref: giftCardHref(ctx, product, query.lang),
      options: optionsShown(product, chosen, words),
      brandHref: `/shop/products?brand=${encodeURIComponent(oneOfSeveral(product.brand ?? ''))}`,
      details: [...detailsOf(product, variant, words), ...licenseRows(ctx, variant?.license ?? null, words)],
      changelog: variant?.license?.release?.changelog ?? null,
      related: await relatedTo(ctx, product, words),
    };
    return show('shop/product', data, { head: languageHead(query.lang) });
  },
});
