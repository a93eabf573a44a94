import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { file, page } from '#kernel/http/page.ts';
import { keepingLast, later } from '#kernel/sharing.ts';
import { brandColor } from '#storefront/contract/branding.ts';
import { GROUNDS, readableOn, textOn } from '#storefront/contract/colors.ts';

/** The colors of the shop for both themes, of its one brand color (shop-pages 4, 9). */
export function themeCss(color: string): string {
  const of = (ground: keyof typeof GROUNDS): string => {
    const brand = readableOn(color, GROUNDS[ground]);
    return `--brand:${brand};--on-brand:${textOn(brand)}`;
  };
  return `:root{${of('light')}}\n@media (prefers-color-scheme:dark){:root{${of('dark')}}}\n`;
}

/** The address tells the content: another color has another one. */
const themeOf = keepingLast((color: string) => {
  const css = themeCss(color);
  return { css, name: `${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css` };
});
const themeNow = (ctx: Ctx) => themeOf(ctx.settings.get(brandColor));

/** Where the theme of the shop is. */
export const themeAddress = (ctx: Ctx): string => `/shop/theme/${themeNow(ctx).name}`;

const YEAR_SECONDS = 31_536_000;

export const themePage = page({
  path: '/shop/theme/{name}',
  title: 'Theme',
  audience: 'public',
  params: later(() => z.object({ name: z.string().max(100) })),
  async show(ctx, { params }) {
    const { css, name } = themeNow(ctx);
    // A page from before the last change asks for its own colors: it gets those of today.
    const isCurrent = params.name === name;
    return file('text/css; charset=utf-8', css, {
      cache: isCurrent
        ? { by: 'public', maxAgeSeconds: YEAR_SECONDS, isImmutable: true }
        : { by: 'public', maxAgeSeconds: 0 },
    });
  },
});
