/** What pages of a shop need to know of it, for everybody (storefront-api.md, A). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import { currencyExponent } from '#kernel/money.ts';
import { later } from '#kernel/sharing.ts';
import { find } from '#platform/media/index.ts';
import { minPasswordLength } from '#platform/passwords/index.ts';
import { brandColor, logoMedia } from '#storefront/contract/branding.ts';
import { pictureOf } from '#storefront/contract/picture.ts';
import { publicAnswer } from '#storefront/contract/public-answer.ts';
import {
  currencyCode,
  currencySymbol,
  defaultCountry,
  featureKeys,
  featureSettings,
  pricesIncludeTax,
  shopNameOf,
  shortNameOf,
} from '#storefront/contract/settings.ts';

const Config = later(() =>
  z
    .object({
      store_name: z.string(),
      /** Null while there is none. */
      logo_url: z.string().nullable(),
      brand_color: z.string(),
      currency_code: z.string(),
      currency_symbol: z.string(),
      currency_exponent: count(),
      prices_include_tax: z.boolean(),
      default_country: z.string(),
      features: z.record(z.string(), z.boolean()),
      min_password_length: count(),
    })
    .meta({ id: 'ShopConfig' }),
);

async function logoUrlOf(ctx: Ctx): Promise<string | null> {
  const id = ctx.settings.get(logoMedia);
  const media = id === null ? null : await find(ctx, id);
  return (media && pictureOf(media).variants?.medium.url) ?? null;
}

async function configOf(ctx: Ctx): Promise<z.output<typeof Config>> {
  const { settings } = ctx;
  const currency = settings.get(currencyCode);
  return {
    store_name: shopNameOf(ctx),
    logo_url: await logoUrlOf(ctx),
    brand_color: settings.get(brandColor),
    currency_code: currency,
    currency_symbol: settings.get(currencySymbol),
    currency_exponent: currencyExponent(currency),
    prices_include_tax: settings.get(pricesIncludeTax),
    default_country: settings.get(defaultCountry),
    features: Object.fromEntries(
      featureKeys.map((key) => [shortNameOf(key), settings.get(featureSettings[key])]),
    ),
    min_password_length: settings.get(minPasswordLength),
  };
}

export const shopConfigEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/config',
    summary: 'Show name, colors, currency and features of the shop',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: Config }) },
    handle: async (ctx) => publicAnswer({ data: await configOf(ctx) }),
  }),
];
