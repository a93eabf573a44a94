import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { movedTo, page, show } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { isGone, relatedIds } from '#storefront/catalog/products/index.ts';
import type { ShopProduct } from '#storefront/catalog/products/view.ts';
import { cardsOf, shownProduct } from '#storefront/catalog/search/index.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';
import { cardShown, productHref } from './cards.ts';
import { keptPage } from './frame.ts';
import { galleryOf } from './images.ts';
import { type Crumb, seoOf, trailOf } from './seo.ts';
import { languageHead, type ShopWords, wordsOf } from './words.ts';

type Variant = ShopProduct['variants'][number];

const OPTION = 'option.';
/** Below everything else: loaded when somebody comes there. */
const MANY = 100;
const DESCRIPTION_CHARACTERS = 160;

const Query = z.object({ lang: z.string().max(20).optional().catch(undefined) }).catchall(z.unknown());

/** The values that the address chooses; of the other options those of the first variant. */
function chosenOf({ options, variants }: ShopProduct, query: Readonly<Record<string, unknown>>) {
  const standing = variants[0]?.option_values ?? {};
  const entries = options.map(({ name, values }) => {
    const asked = query[OPTION + name];
    return [name, values.some(({ value }) => value === asked) ? String(asked) : standing[name]] as const;
  });
  return Object.fromEntries(entries);
}

const variantOf = ({ variants }: ShopProduct, chosen: Readonly<Record<string, string | undefined>>) =>
  variants.find(({ option_values: own }) =>
    Object.entries(chosen).every(([name, value]) => own[name] === value),
  );

/** Text of HTML, as a search engine shows it. */
function plain(html: string | null): string | null {
  const text = (html ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name) => ENTITIES[name] ?? ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...text].slice(0, DESCRIPTION_CHARACTERS).join('');
  return short === '' ? null : short;
}
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function productLd(ctx: Ctx, product: ShopProduct, description: string | null): object {
  const { title, brand, variants, currency, slug, media } = product;
  const address = new URL(productHref(slug), ctx.baseUrl);
  const offers = variants
    // An offer for nothing is none for search engines.
    .filter(({ price_cents }) => price_cents > 0)
    .map(({ sku, price_cents, option_values }) => {
      const url = new URL(address);
      for (const [name, value] of Object.entries(option_values)) url.searchParams.set(OPTION + name, value);
      return {
        '@type': 'Offer',
        sku,
        price: decimalOf({ amountCents: price_cents, currency }),
        priceCurrency: currency,
        availability: 'https://schema.org/InStock',
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

function offerOf(product: ShopProduct, variant: Variant | undefined, { money }: ShopWords) {
  const { currency } = product;
  if (!variant) return null;
  const before = variant.compare_at_cents;
  return {
    price: money(variant.price_cents, currency),
    was: before !== null && before > variant.price_cents ? money(before, currency) : null,
  };
}

async function relatedTo(ctx: Ctx, { id }: ShopProduct, words: ShopWords) {
  return (await cardsOf(ctx, await relatedIds(ctx, id))).map((card) => cardShown(card, words, MANY));
}

/** @throws AppError 404; 410 for what is no longer sold */
async function productOf(ctx: Ctx, slug: string) {
  const found = await shownProduct(ctx, slug);
  if (found) return found;
  if (await isGone(ctx, slug)) throw new AppError('NOT_FOUND', 410, 'This product is no longer sold');
  throw new AppError('NOT_FOUND', 404, 'No such product');
}

export const productPage = page({
  ...keptPage,
  path: '/shop/products/{slug}',
  title: 'Product',
  params: z.object({ slug: text({ min: 1, max: 255 }) }),
  query: Query,
  async show(ctx, { params, query, visitor }) {
    const { product } = await productOf(ctx, params.slug);
    if (product.slug !== params.slug) return movedTo(productHref(product.slug));
    const words = await wordsOf(ctx, visitor, query.lang);
    const { t } = words;
    const chosen = chosenOf(product, query);
    const variant = variantOf(product, chosen);
    const description =
      product.seo.description ?? product.short_description ?? plain(product.description_html);
    const crumbs: Crumb[] = [
      { label: t('nav.home'), href: '/shop/' },
      { label: t('nav.products'), href: '/shop/products' },
      { label: product.title, href: productHref(product.slug) },
    ];
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
      offer: offerOf(product, variant, words),
      options: product.options.map(({ name, values }) => ({
        name,
        field: OPTION + name,
        values: values.map(({ value, swatch_hex: swatch }) => ({
          value,
          swatch,
          isChosen: chosen[name] === value,
        })),
      })),
      details: detailsOf(product, variant, words),
      related: await relatedTo(ctx, product, words),
    };
    return show('shop/product', data, { head: languageHead(query.lang) });
  },
});
