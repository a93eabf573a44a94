import { expect, it } from 'vitest';
import { contrast, readableOn, textOn } from '../../src/storefront/contract/colors.ts';
import { themeCss } from '../../src/storefront/tools/shop/theme.ts';

it('computes the contrast of WCAG', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  expect(contrast('#123456', '#123456')).toBe(1);
});

it.each(['#ffffff', '#000000', '#ffee00', '#ff0000', '#777777', '#14171b', '#00ff00', '#0000ff'])(
  'of %s comes a shade that can be read on each ground, with text that can be read on it',
  (color) => {
    for (const ground of ['#ffffff', '#14171b']) {
      const shade = readableOn(color, ground);
      expect(contrast(shade, ground)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(textOn(shade), shade)).toBeGreaterThanOrEqual(4.5);
    }
    expect(themeCss(color)).toMatch(/^:root\{--brand:#[0-9a-f]{6};--on-brand:#(ffffff|000000)\}/);
  },
);

it.each(['#111827', '#000000', '#3a3a3a'])(
  'of the gray %s comes a bright shade in the dark, where a middle one looks switched off',
  (color) => {
    const shade = readableOn(color, '#14171b');
    expect(contrast(shade, '#14171b')).toBeGreaterThanOrEqual(11);
    expect(textOn(shade)).toBe('#000000');
    expect(contrast('#000000', shade)).toBeGreaterThanOrEqual(11);
    // What can be read as it was chosen stays, and so does a color.
    expect(readableOn('#9ca3af', '#14171b')).toBe('#9ca3af');
    expect(contrast(readableOn('#1f4d8f', '#14171b'), '#14171b')).toBeLessThan(6);
  },
);

it('keeps a color that can be read as it is', () => {
  expect(readableOn('#1f4d8f', '#ffffff')).toBe('#1f4d8f');
});
