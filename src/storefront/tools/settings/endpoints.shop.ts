/** What pages of a shop need to know of it, for everybody (storefront-api.md, A). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { type Endpoint, endpoint, type Reply } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import { currencyExponent } from '#kernel/money.ts';
import { minPasswordLength } from '#platform/accounts/index.ts';
import {
  brandColor,
  currencyCode,
  currencySymbol,
  defaultCountry,
  featureKeys,
  featureSettings,
  pricesIncludeTax,
  shopNameOf,
  shortNameOf,
} from '#storefront/contract/settings.ts';

const Config = z
  .object({
    store_name: z.string(),
    brand_color: z.string(),
    currency_code: z.string(),
    currency_symbol: z.string(),
    currency_exponent: count(),
    prices_include_tax: z.boolean(),
    default_country: z.string(),
    features: z.record(z.string(), z.boolean()),
    min_password_length: count(),
  })
  .meta({ id: 'ShopConfig' });

function configOf(ctx: Ctx): z.output<typeof Config> {
  const { settings } = ctx;
  const currency = settings.get(currencyCode);
  return {
    store_name: shopNameOf(ctx),
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

/** An answer that everybody gets, and that need not be sent to whoever has it (storefront-api.md 1.9). */
function shared<T>(data: T): Reply<{ data: T }> {
  const etag = `"${sha256Hex(JSON.stringify(data)).slice(0, 32)}"`;
  return { status: 200, body: { data }, head: { cache: { by: 'public', maxAgeSeconds: 0, etag } } };
}

export const shopConfigEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/api/shop/config',
    summary: 'Name, colors, currency and features of the shop',
    scope: null,
    limit: null,
    replies: { 200: z.object({ data: Config }) },
    handle: async (ctx) => shared(configOf(ctx)),
  }),
];
