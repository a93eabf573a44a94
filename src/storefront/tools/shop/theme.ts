import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { file, page } from '#kernel/http/page.ts';
import { brandColor } from '#storefront/contract/settings.ts';

/** Ratio of text to its ground that WCAG 2.2 asks for (AA). */
const READABLE = 4.5;
const GROUNDS = { light: '#ffffff', dark: '#14171b' } as const;

type Rgb = readonly [red: number, green: number, blue: number];

const rgbOf = (hex: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
const hexOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1, the same, to 21, black on white. @param one and other as `#rrggbb` */
export function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(rgbOf(one)), luminance(rgbOf(other))].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** The nearest shade that can be read on a ground: darker on a light one, lighter on a dark one. */
export function readableOn(color: string, ground: string): string {
  const target: Rgb = luminance(rgbOf(ground)) > 0.18 ? [0, 0, 0] : [255, 255, 255];
  const from = rgbOf(color);
  for (let step = 0; step <= 100; step += 1) {
    const shade = hexOf(
      from.map((part, at) => part + (((target[at] ?? 0) - part) * step) / 100) as unknown as Rgb,
    );
    if (contrast(shade, ground) >= READABLE) return shade;
  }
  return hexOf(target);
}

/** Black or white, whichever is read better on it. */
export const textOn = (color: string): string =>
  contrast('#ffffff', color) >= contrast('#000000', color) ? '#ffffff' : '#000000';

/** The colors of the shop for both themes, of its one brand color (shop-pages 4, 9). */
export function themeCss(color: string): string {
  const of = (ground: keyof typeof GROUNDS): string => {
    const brand = readableOn(color, GROUNDS[ground]);
    return `--brand:${brand};--on-brand:${textOn(brand)}`;
  };
  return `:root{${of('light')}}\n@media (prefers-color-scheme:dark){:root{${of('dark')}}}\n`;
}

const hashOf = (css: string): string => createHash('sha256').update(css).digest('hex').slice(0, 16);
const cssOf = (ctx: Ctx): string => themeCss(ctx.settings.get(brandColor));

/** The address tells the content: another color has another one. */
export const themeAddress = (ctx: Ctx): string => `/shop/theme/${hashOf(cssOf(ctx))}.css`;

const YEAR_SECONDS = 31_536_000;

export const themePage = page({
  path: '/shop/theme/{name}',
  title: 'Theme',
  audience: 'public',
  params: z.object({ name: z.string().max(100) }),
  async show(ctx, { params }) {
    const css = cssOf(ctx);
    // A page from before the last change asks for its own colors: it gets those of today.
    const isCurrent = params.name === `${hashOf(css)}.css`;
    return file('text/css; charset=utf-8', css, {
      cache: isCurrent
        ? { by: 'public', maxAgeSeconds: YEAR_SECONDS, isImmutable: true }
        : { by: 'public', maxAgeSeconds: 0 },
    });
  },
});
