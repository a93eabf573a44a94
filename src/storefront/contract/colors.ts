/** Ratio of text to its ground that WCAG 2.2 asks for (AA). */
export const READABLE = 4.5;
/** A gray that is only just readable on a dark page looks like a button that is switched off: such a one is made bright. */
const BRIGHT = 11;
/** Less apart than this, of 255, red, green and blue make a gray. */
const GRAY = 48;
/** What pages stand on, by theme. */
export const GROUNDS = { light: '#ffffff', dark: '#14171b' } as const;

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

/**
 * The nearest shade that can be read on a ground: darker on a light one, lighter on a dark one. A gray that must become
 * lighter becomes bright.
 */
export function readableOn(color: string, ground: string): string {
  if (contrast(color, ground) >= READABLE) return color.toLowerCase();
  const isLight = luminance(rgbOf(ground)) > 0.18;
  const target: Rgb = isLight ? [0, 0, 0] : [255, 255, 255];
  const from = rgbOf(color);
  const isGray = Math.max(...from) - Math.min(...from) < GRAY;
  const least = isGray && !isLight ? BRIGHT : READABLE;
  for (let step = 0; step <= 100; step += 1) {
    const shade = hexOf(
      from.map((part, at) => part + (((target[at] ?? 0) - part) * step) / 100) as unknown as Rgb,
    );
    if (contrast(shade, ground) >= least) return shade;
  }
  return hexOf(target);
}

/** Black or white, whichever is read better on it. */
export const textOn = (color: string): string =>
  contrast('#ffffff', color) >= contrast('#000000', color) ? '#ffffff' : '#000000';
