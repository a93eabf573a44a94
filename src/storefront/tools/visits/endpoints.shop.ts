/** Who asks, and the countries of address forms (storefront-api.md, A). */

import { z } from 'zod';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count, oneOf, text } from '#kernel/http/fields.ts';
import { wantedLanguages } from '#kernel/http/wanted-languages.ts';
import { later } from '#kernel/sharing.ts';
import { chooseLanguage, FALLBACK, loadLanguages } from '#platform/languages/index.ts';
import { countUnits, ownerOf } from '#storefront/buying/cart/index.ts';
import { countriesIn } from '#storefront/contract/country-names.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import { EVERYWHERE } from '#storefront/contract/regions.ts';
import { featureKeys, featureSettings, shortNameOf } from '#storefront/contract/settings.ts';
import { shownCustomer } from '#storefront/people/accounts/index.ts';
import { CustomerView } from '#storefront/people/customers/index.ts';
import { countriesServed } from '#storefront/pricing/shipping/index.ts';

const Country = later(() =>
  z
    .object({
      code: z.string(),
      name: z.string(),
      states: z.array(z.object({ code: z.string(), name: z.string() })),
      postal_required: z.boolean(),
    })
    .meta({ id: 'Country' }),
);

const Session = later(() =>
  z
    .object({
      customer: CustomerView.nullable(),
      admin: z.boolean(),
      csrf_token: z.string(),
      cart_count: count(),
      features: z.record(z.string(), z.boolean()),
    })
    .meta({ id: 'ShopSession' }),
);

export const visitEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/session',
    summary: 'Show who is signed in, and the CSRF token for writes',
    description: 'This stores nothing. A session is stored once there is something to keep.',
    scope: null,
    session: 'token',
    limit: null,
    replies: { 200: z.object({ data: Session }) },
    errors: ['AUTH_UNAUTHORIZED'],
    handle: async (ctx, { visitor }) => ({
      status: 200,
      body: {
        data: {
          customer: visitor?.customer?.id ? await shownCustomer(ctx, visitor.customer.id) : null,
          admin: visitor?.actor.kind === 'staff',
          csrf_token: visitor?.csrfToken() ?? '',
          cart_count: await countUnits(ctx, ownerOf(visitor)),
          features: Object.fromEntries(
            featureKeys.map((key) => [shortNameOf(key), ctx.settings.get(featureSettings[key])]),
          ),
        },
      },
    }),
  }),
  endpoint({
    method: 'get',
    path: '/api/shop/countries',
    summary: 'List countries and their states, for address forms',
    description:
      'Names are in the language of `lang`, or else the best match for Accept-Language. `for=shipping` returns the countries that the shop ships to, or all countries while it has no shipping methods.',
    scope: null,
    limit: null,
    query: z.object({
      for: oneOf(['shipping', 'billing']).optional(),
      lang: text({ min: 1, max: 20 }).optional(),
    }),
    headers: later(() => z.object({ 'accept-language': text({ max: 16_384 }).optional() })),
    replies: { 200: z.object({ data: z.array(Country) }) },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { query: { lang, for: purpose }, headers }) => {
      await loadLanguages();
      const wanted = lang === undefined ? wantedLanguages({ headers }) : [lang.toLowerCase()];
      const all = countriesIn(chooseLanguage(wanted, FALLBACK).code);
      const served = purpose === 'shipping' ? await countriesServed(ctx) : new Set([EVERYWHERE]);
      const isAll = served.size === 0 || served.has(EVERYWHERE);
      const answer = publicAnswer({ data: all.filter(({ code }) => isAll || served.has(code)) });
      return { ...answer, head: { ...answer.head, headers: { Vary: 'Accept-Language' } } };
    },
  }),
];
