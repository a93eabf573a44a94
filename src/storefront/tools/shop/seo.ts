import type { Ctx } from '#kernel/context.ts';
import { languages } from '#platform/languages/index.ts';
import { storeOpen } from '#storefront/contract/settings.ts';

/** What search engines and previews are told of a page (shop-pages 8). */
export interface Seo {
  readonly description: string | null;
  readonly canonical: string | null;
  readonly index: boolean;
  /** Addresses in each language. */
  readonly alternates: readonly { readonly lang: string; readonly href: string }[];
  readonly type: 'website' | 'product' | 'article';
  readonly price: { readonly amount: string; readonly currency: string } | null;
  readonly image: {
    readonly url: string;
    readonly width: number;
    readonly height: number;
    readonly alt: string;
  } | null;
  /** Structured data, as texts that a script element may hold. */
  readonly ld: readonly string[];
}

/** As JSON that cannot end the element in which it stands. */
export const ldText = (data: object): string =>
  JSON.stringify({ '@context': 'https://schema.org', ...data }).replace(/[<\u2028\u2029]/g, (sign) =>
    sign === '<' ? '\\u003c' : sign === '\u2028' ? '\\u2028' : '\\u2029',
  );

interface About {
  /** Path, with the query that belongs to its address. */
  readonly path: string;
  readonly lang?: string | undefined;
  readonly description?: string | null;
  readonly index?: boolean;
  readonly type?: Seo['type'];
  readonly price?: Seo['price'];
  readonly image?: Seo['image'];
  readonly ld?: readonly object[];
}

/** @param path of the page, with the query that belongs to its canonical address */
export function seoOf(
  ctx: Ctx,
  {
    path,
    lang,
    description = null,
    index = true,
    type = 'website',
    price = null,
    image = null,
    ld = [],
  }: About,
): Seo {
  const address = new URL(path, ctx.baseUrl);
  const inLanguage = (code: string): string => {
    const one = new URL(address);
    one.searchParams.set('lang', code);
    return one.href;
  };
  return {
    description,
    canonical: lang === undefined ? address.href : inLanguage(lang),
    index: index && ctx.settings.get(storeOpen),
    alternates: [
      ...languages().map(({ code }) => ({ lang: code, href: inLanguage(code) })),
      { lang: 'x-default', href: address.href },
    ],
    type,
    price,
    image: image && { ...image, url: new URL(image.url, ctx.baseUrl).href },
    ld: ld.map(ldText),
  };
}

/** A way from the start page to a page. */
export interface Crumb {
  readonly label: string;
  readonly href: string;
}

/** The trail as search engines read it. */
export const trailOf = (ctx: Ctx, crumbs: readonly Crumb[]): object => ({
  '@type': 'BreadcrumbList',
  itemListElement: crumbs.map(({ label, href }, at) => ({
    '@type': 'ListItem',
    position: at + 1,
    name: label,
    item: new URL(href, ctx.baseUrl).href,
  })),
});
