import { type Check, ok, onSchema, warn } from '#kernel/check.ts';
import { brandColor } from '#storefront/contract/branding.ts';
import { contrast, GROUNDS, READABLE, readableOn } from '#storefront/contract/colors.ts';

/** What `appctl doctor` asks about how the shop looks (cli.md section 7). */
export const brandChecks: readonly Check[] = [
  {
    id: 'store.brand-contrast',
    title: 'contrast of the brand color',
    isAdvice: true,
    run: onSchema((ctx) => {
      const color = ctx.settings.get(brandColor);
      const ratio = contrast(color, GROUNDS.light);
      const told = (Math.floor(ratio * 10) / 10).toFixed(1);
      if (ratio >= READABLE) return ok(`${color} is readable on white: contrast ${told} to 1`);
      return warn(
        `${color} is hard to read on white (contrast ${told} to 1, needed ${READABLE}), so that the shop shows ${readableOn(color, GROUNDS.light)} in its place`,
        `choose a darker color at ${ctx.baseUrl}/store/settings/branding`,
      );
    }),
  },
];
