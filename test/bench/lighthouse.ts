// What Lighthouse says of the shop's pages on a phone, and how large they are as they are sent.
import { gzipSync } from 'node:zlib';
import lighthouse from 'lighthouse';
import * as settings from '#platform/settings/index.ts';
import { storeOpen } from '#storefront/index.ts';
import { openChromium } from '../support/chromium.ts';
import { openHttpClient } from '../support/http-client.ts';
import { seedDatabases } from './databases.ts';
import { licensedPages } from './licensed-pages.ts';
import { median } from './medians.ts';
import type { BenchOptions } from './options.ts';
import { freePort } from './program.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import { cookieWithCart, openToOrders } from './shop-orders.ts';
import { seedShop } from './shop-seed.ts';
import { served } from './staff.ts';

/** More change no page that is shown. */
const MOST_PRODUCTS = 1000;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const LEAST = { performance: 98, accessibility: 100, 'best-practices': 100, seo: 100 };
/** Bytes as gzip sends them (shop-pages 5). */
const MOST_BYTES = { HTML: 14_000, CSS: 10_000, JS: 6000 };

type Scores = Record<(typeof CATEGORIES)[number], number>;

/** What a page was given, and what it was not given all for. */
interface Judged {
  readonly scores: Scores;
  readonly costly: readonly string[];
}

/** @param options `rounds` of each page, of which the median counts */
export async function judgeLighthouse(
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const products = Math.min(options.products, MOST_PRODUCTS);
  const seeded = await seedDatabases('sqlite', { ...options, licenses: 100, fewLicenses: 10 });
  const installation = seeded.installations.large;
  try {
    const { slugs } = await seedShop(installation, products, say);
    await openShop(installation);
    return await served(installation, 'lighthouse', async ({ url }) => {
      const { variants } = await openToOrders(installation, url);
      const { product, license, cookie } = await licensedPages(installation, url);
      const pages = {
        ...pagesOf(slugs[0] ?? '', await cookieWithCart(url, variants)),
        'licensed product': { path: product },
        license: { path: license, cookie, isHidden: true } as const,
      };
      return judged(url, pages, options, say);
    });
  } finally {
    await seeded.remove();
  }
}

/** Search engines may read it then, which Lighthouse judges too. */
const openShop = ({ dataDir, databaseUrl }: Installation): Promise<unknown> =>
  withInstance(dataDir, databaseUrl, ({ ctx }) => settings.set(ctx, { key: storeOpen.key, value: true }));

/** A page that is judged. */
interface Seen {
  readonly path: string;
  /** Of a shopper with a cart. */
  readonly cookie?: string;
  /** Kept out of search engines, which costs it there. */
  readonly isHidden?: true;
}

const pagesOf = (slug: string, cookie: string): Readonly<Record<string, Seen>> => ({
  home: { path: '/shop/' },
  list: { path: '/shop/products' },
  product: { path: `/shop/products/${slug}` },
  search: { path: '/shop/search?q=lamp', isHidden: true },
  cart: { path: '/shop/cart', cookie, isHidden: true },
  checkout: { path: '/shop/checkout', cookie, isHidden: true },
});

async function judged(
  url: string,
  pages: Readonly<Record<string, Seen>>,
  { rounds }: BenchOptions,
  say: (line: string) => void,
) {
  const port = await freePort();
  const chromium = await openChromium([`--remote-debugging-port=${port}`]);
  const verdicts: Verdict[] = [];
  try {
    for (const [name, page] of Object.entries(pages)) {
      const runs: Judged[] = [];
      for (let n = 0; n < rounds; n++) runs.push(await pageJudged(url, page, port));
      const of = Object.fromEntries(
        CATEGORIES.map((category) => [category, median(runs.map(({ scores }) => scores[category]))]),
      ) as Scores;
      const asked = page.isHidden ? CATEGORIES.slice(0, 3) : CATEGORIES;
      verdicts.push({
        what: `${name}: performance, accessibility, best practices, SEO`,
        asked: `≥ ${asked.map((category) => LEAST[category]).join('/')}`,
        measured: CATEGORIES.map((category) => of[category]).join('/'),
        ok: asked.every((category) => of[category] >= LEAST[category]),
      });
      say(
        `lighthouse, ${name}: ${verdicts.at(-1)?.measured}; ${runs[0]?.costly.join(', ') || 'nothing cost it anything'}`,
      );
    }
    for (const [name, page] of Object.entries(pages)) verdicts.push(...(await sizes(url, name, page)));
  } finally {
    await chromium.close();
  }
  return verdicts;
}

/** @throws Error when the page could not be judged */
async function pageJudged(url: string, { path, cookie }: Seen, port: number): Promise<Judged> {
  const result = await lighthouse(new URL(path, url).href, {
    port,
    logLevel: 'error',
    onlyCategories: [...CATEGORIES],
    ...(cookie !== undefined && { extraHeaders: { Cookie: cookie } }),
  });
  if (!result || result.lhr.runtimeError) throw new Error(`${path}: ${result?.lhr.runtimeError?.message}`);
  const { categories, audits } = result.lhr;
  const counted = Object.values(categories).flatMap(({ auditRefs }) =>
    auditRefs.filter(({ weight }) => weight > 0),
  );
  const costly = counted.flatMap(({ id }) => {
    const { score = null, displayValue = '' } = audits[id] ?? {};
    return score === null || score === 1 ? [] : [`${id} ${displayValue}`.trim()];
  });
  const scores = Object.fromEntries(
    CATEGORIES.map((category) => [category, Math.round((categories[category]?.score ?? 0) * 100)]),
  ) as Scores;
  return { scores, costly };
}

/** What a first view loads beside pictures. */
async function sizes(url: string, name: string, { path, cookie }: Seen): Promise<Verdict[]> {
  const client = openHttpClient(url);
  try {
    const headers = cookie === undefined ? {} : { Cookie: cookie };
    const html = (await client.send(path, { headers })).text;
    const all = async (pattern: RegExp) => {
      let sum = 0;
      for (const [, asset] of html.matchAll(pattern))
        sum += gzipSync((await client.send(asset ?? '')).text).length;
      return sum;
    };
    const bytes = {
      HTML: gzipSync(html).length,
      CSS: await all(/<link rel="stylesheet" href="([^"]+)"/g),
      JS: await all(/<script[^>]* src="([^"]+)"/g),
    };
    return (Object.keys(bytes) as (keyof typeof bytes)[]).map((what) => ({
      what: `${name}: ${what} as gzip`,
      asked: `≤ ${MOST_BYTES[what] / 1000} KB`,
      measured: `${(bytes[what] / 1000).toFixed(1)} KB`,
      ok: bytes[what] <= MOST_BYTES[what],
    }));
  } finally {
    client.close();
  }
}
