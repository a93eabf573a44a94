/** How a shop looks beside its colors: logo, icon, announcement, footer, style sheet (shop-pages 9). */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { file, page } from '#kernel/http/page.ts';
import type { Around } from '#kernel/http/site.ts';
import type { Setting } from '#kernel/settings.ts';
import { keepingLast, later } from '#kernel/sharing.ts';
import { find } from '#platform/media/index.ts';
import {
  announcementText,
  brandColor,
  customCss,
  faviconMedia,
  footerHtml,
  logoMedia,
} from '#storefront/contract/branding.ts';
import { textOn } from '#storefront/contract/colors.ts';
import { pictureOf } from '#storefront/contract/picture.ts';
import { shopNameOf } from '#storefront/contract/settings.ts';

const YEAR_SECONDS = 31_536_000;
const FOR_EVER = { by: 'public', maxAgeSeconds: YEAR_SECONDS, isImmutable: true } as const;
const SHORTLY = { by: 'public', maxAgeSeconds: 0 } as const;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The picture that a setting names, with its sizes; null while there is none that can be shown. */
export async function brandPicture(ctx: Ctx, setting: Setting<string | null>) {
  const id = ctx.settings.get(setting);
  const media = id === null ? null : await find(ctx, id);
  const shown = media && pictureOf(media);
  return shown?.variants ? { ...shown, variants: shown.variants } : null;
}

/** A logo is shown at most this high; its width follows. */
const LOGO_HEIGHT = 44;
const LOGO_WIDTH = 220;

async function logoOf(ctx: Ctx) {
  const found = await brandPicture(ctx, logoMedia);
  if (!found) return null;
  const { thumbnail, medium } = found.variants;
  const scale = Math.min(LOGO_HEIGHT / thumbnail.height, LOGO_WIDTH / thumbnail.width, 1);
  return {
    src: thumbnail.url,
    srcset: `${thumbnail.url} 1x, ${medium.url} 2x`,
    width: Math.round(thumbnail.width * scale),
    height: Math.round(thumbnail.height * scale),
  };
}

/** The icon of a shop that has chosen none: the first letter of its name on its color. */
const letterIconOf = keepingLast((shopName: string, color: string) => {
  const [letter = ''] = new Intl.Segmenter().segment(shopName.toUpperCase());
  const first = typeof letter === 'string' ? letter : letter.segment;
  const text = first.replace(/[<>&"'\p{Cc}]/gu, (sign) => `&#${sign.codePointAt(0)};`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${color}"/><text x="16" y="23" text-anchor="middle" font-family="system-ui,sans-serif" font-size="20" font-weight="700" fill="${textOn(color)}">${text}</text></svg>`;
  return { svg, name: `${hashOf(svg)}.svg` };
});
const letterIcon = (ctx: Ctx) => letterIconOf(shopNameOf(ctx), ctx.settings.get(brandColor));

/** The picture beside the title of a page. */
export interface Icon {
  readonly href: string;
  readonly type: string;
  /** As a manifest says it. */
  readonly sizes: string;
}

/** What icons a shop has, the smallest first. */
export async function iconsOf(ctx: Ctx): Promise<Icon[]> {
  const found = await brandPicture(ctx, faviconMedia);
  if (!found) return [{ href: `/shop/icon/${letterIcon(ctx).name}`, type: 'image/svg+xml', sizes: 'any' }];
  const { thumbnail, medium } = found.variants;
  return [thumbnail, medium].map(({ url, width, height }) => ({
    href: url,
    type: 'image/webp',
    sizes: `${width}x${height}`,
  }));
}

const cssAddress = (css: string): string => `/assets/shop/${hashOf(css)}.css`;

/** What the layout shows of all this. */
async function brandOf(ctx: Ctx) {
  const { settings } = ctx;
  const css = settings.get(customCss);
  const [icon] = await iconsOf(ctx);
  return {
    logo: await logoOf(ctx),
    icon,
    announcement: settings.get(announcementText),
    footerHtml: settings.get(footerHtml),
    cssHref: css === null ? null : cssAddress(css),
  };
}

const named = later(() => z.object({ name: z.string().max(100) }));

/** Shows it beside what a layout shows already. */
export const branded =
  (around: Around): Around =>
  async (ctx, ...asked) => ({ ...(await around(ctx, ...asked)), ...(await brandOf(ctx)) });

/** The style sheet of the shop's own; its address tells its content. */
export const customCssPage = page({
  path: '/assets/shop/{name}',
  title: 'Style sheet',
  audience: 'public',
  params: named,
  async show(ctx, { params: { name } }) {
    const css = ctx.settings.get(customCss);
    if (!name.endsWith('.css')) throw new AppError('NOT_FOUND', 404, `file ${name} does not exist`);
    // A page from before the last change asks for its own: it gets that of today.
    const isCurrent = css !== null && cssAddress(css).endsWith(`/${name}`);
    return file('text/css; charset=utf-8', css ?? '', { cache: isCurrent ? FOR_EVER : SHORTLY });
  },
});

export const iconPage = page({
  path: '/shop/icon/{name}',
  title: 'Icon',
  audience: 'public',
  params: named,
  async show(ctx, { params: { name } }) {
    const icon = letterIcon(ctx);
    return file('image/svg+xml', icon.svg, { cache: name === icon.name ? FOR_EVER : SHORTLY });
  },
});
