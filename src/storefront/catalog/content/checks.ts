import { type Check, ok, onSchema, skip, warn } from '#kernel/check.ts';
import { storeOpen } from '#storefront/contract/settings.ts';
import { shownSlugs } from './queries.ts';

/** Pages that the law of most countries asks a shop for, by their usual slugs. */
const LEGAL = ['terms', 'privacy'];

export const contentChecks: readonly Check[] = [
  {
    id: 'store.legal-pages',
    title: 'terms and privacy pages of the shop',
    launch: 'Publish the terms and privacy pages of the shop',
    run: onSchema(async (ctx) => {
      if (!ctx.settings.get(storeOpen)) return skip('the shop is closed');
      const shown = await shownSlugs(ctx, LEGAL);
      const missing = LEGAL.filter((slug) => !shown.includes(slug));
      if (missing.length === 0) return ok('the shop shows its terms and privacy pages');
      return warn(
        `the shop is open without a page ${missing.map((slug) => `/shop/pages/${slug}`).join(' and ')}`,
        `publish it at ${ctx.baseUrl}/store/pages`,
      );
    }),
  },
];
