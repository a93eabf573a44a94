/** What programs read of the shop: search engines, price comparisons, browsers (shop-pages 2). */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { file, page, type Shown } from '#kernel/http/page.ts';
import { decimalOf } from '#kernel/money-words.ts';
import { later } from '#kernel/sharing.ts';
import { cardsOnSale } from '#storefront/buying/cart/index.ts';
import { listShown } from '#storefront/catalog/categories/index.ts';
import * as collections from '#storefront/catalog/collections/index.ts';
import * as content from '#storefront/catalog/content/index.ts';
import { type StockState, shownStock } from '#storefront/catalog/inventory/index.ts';
import { type Shelved, shelfOf } from '#storefront/catalog/search/index.ts';
import { brandColor } from '#storefront/contract/branding.ts';
import { shopNameOf, storeOpen } from '#storefront/contract/settings.ts';
import { iconsOf } from './brand.ts';
import { productHref } from './cards.ts';
import { contentHref } from './content-page.ts';

/** Addresses of one file, as sitemaps.org bounds them. */
const MOST_ADDRESSES = 50_000;
const XML = 'application/xml; charset=utf-8';

/** A text in XML: what XML cannot hold is left out. */
const xml = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 forbids them
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const tagged = (type: string, text: string): Shown =>
  file(type, text, {
    cache: {
      by: 'public',
      maxAgeSeconds: 0,
      etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 32)}"`,
    },
  });

async function shownNow(ctx: Ctx): Promise<Shelved[]> {
  const now = ctx.now();
  const { all } = await shelfOf(ctx);
  return all
    .filter(({ publishAt }) => publishAt === null || publishAt <= now)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** The page that sells gift cards, while there are some. */
const soldCards = async (ctx: Ctx): Promise<string[]> =>
  (await cardsOnSale(ctx)).length > 0 ? ['/shop/gift-cards'] : [];

export const robotsPage = page({
  path: '/robots.txt',
  title: 'Robots',
  audience: 'public',
  async show(ctx) {
    const closed = ['/store/', '/admin/', '/api/', '/shop/account', '/shop/checkout', '/shop/search'];
    const lines = ctx.settings.get(storeOpen)
      ? [...closed.map((path) => `Disallow: ${path}`), '', `Sitemap: ${ctx.baseUrl}/sitemap.xml`]
      : ['Disallow: /'];
    return tagged('text/plain; charset=utf-8', `${['User-agent: *', ...lines].join('\n')}\n`);
  },
});

export const sitemapPage = page({
  path: '/sitemap.xml',
  title: 'Sitemap',
  audience: 'public',
  async show(ctx) {
    const products = await shownNow(ctx);
    const chunks = Math.ceil(products.length / MOST_ADDRESSES);
    const names = ['pages', ...Array.from({ length: chunks }, (_none, at) => `products-${at + 1}`)];
    const entries = names.map(
      (name) => `<sitemap><loc>${xml(`${ctx.baseUrl}/shop/sitemaps/${name}.xml`)}</loc></sitemap>`,
    );
    return tagged(
      XML,
      `<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</sitemapindex>\n`,
    );
  },
});

export const sitemapPartPage = page({
  path: '/shop/sitemaps/{name}',
  title: 'Sitemap',
  audience: 'public',
  params: later(() => z.object({ name: z.string().max(60) })),
  async show(ctx, { params }) {
    const [, pages, chunk] = /^(?:(pages)|products-([1-9]\d{0,5}))\.xml$/.exec(params.name) ?? [];
    const entry = (path: string, changed?: string): string =>
      `<url><loc>${xml(ctx.baseUrl + path)}</loc>${changed === undefined ? '' : `<lastmod>${changed}</lastmod>`}</url>`;
    let entries: string[] = [];
    if (pages)
      entries = [
        ...['/shop/', '/shop/products', ...(await soldCards(ctx))].map((path) => entry(path)),
        ...(await listShown(ctx)).map(({ slug, updatedAt }) => entry(`/shop/categories/${slug}`, updatedAt)),
        ...(await collections.listShown(ctx)).map(({ slug, updatedAt }) =>
          entry(`/shop/collections/${slug}`, updatedAt),
        ),
        ...(await content.listShown(ctx)).map((one) => entry(contentHref(one), one.updatedAt)),
      ];
    else {
      const from = (Number(chunk ?? 0) - 1) * MOST_ADDRESSES;
      const some = from < 0 ? [] : (await shownNow(ctx)).slice(from, from + MOST_ADDRESSES);
      entries = some.map(({ card, updatedAt }) => entry(productHref(card.slug), updatedAt));
    }
    if (entries.length === 0) throw new AppError('NOT_FOUND', 404, 'this part of the sitemap does not exist');
    return tagged(
      XML,
      `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`,
    );
  },
});

/** `1234` of EUR as `12.34 EUR`. */
const priceOf = (amountCents: number, currency: string): string =>
  `${decimalOf({ amountCents, currency })} ${currency}`;

/** As feeds of products call it. */
const availabilityOf: Record<StockState, string> = {
  in: 'in_stock',
  low: 'in_stock',
  backorder: 'backorder',
  out: 'out_of_stock',
};

export const feedPage = page({
  path: '/shop/feed.xml',
  title: 'Product feed',
  audience: 'public',
  async show(ctx) {
    const name = xml(shopNameOf(ctx));
    const stock = await shownStock(ctx);
    const items = (await shownNow(ctx)).map(({ id, card }) => {
      const parts = {
        'g:id': id,
        'g:title': card.title,
        'g:link': ctx.baseUrl + productHref(card.slug),
        'g:price': priceOf(card.compare_at_cents ?? card.price_cents, card.currency),
        ...(card.compare_at_cents !== null && { 'g:sale_price': priceOf(card.price_cents, card.currency) }),
        ...(card.brand !== null && { 'g:brand': card.brand }),
        ...(card.image !== null && { 'g:image_link': ctx.baseUrl + card.image.variants.large.url }),
        'g:availability': availabilityOf[stock.of(id).state],
        'g:condition': 'new',
      };
      const lines = Object.entries(parts).map(([tag, text]) => `<${tag}>${xml(text)}</${tag}>`);
      return `<item>${lines.join('')}</item>`;
    });
    const home = xml(`${ctx.baseUrl}/shop/`);
    return tagged(
      XML,
      `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>\n<title>${name}</title><link>${home}</link><description>${name}</description>\n${items.join('\n')}\n</channel></rss>\n`,
    );
  },
});

export const manifestPage = page({
  path: '/shop/manifest.webmanifest',
  title: 'Manifest',
  audience: 'public',
  async show(ctx) {
    const name = shopNameOf(ctx);
    const text = JSON.stringify({
      name,
      short_name: name,
      start_url: '/shop/',
      scope: '/shop/',
      display: 'browser',
      theme_color: ctx.settings.get(brandColor),
      icons: (await iconsOf(ctx)).map(({ href, type, sizes }) => ({ src: href, type, sizes })),
    });
    return tagged('application/manifest+json', text);
  },
});
