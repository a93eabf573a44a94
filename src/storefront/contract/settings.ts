import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { email } from '#kernel/http/fields.ts';
import { isTimeZone } from '#kernel/local-time.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';
import { brandingSettings, labels } from './branding.ts';
import { licenseSettings } from './license-settings.ts';
import {
  paymentProcessor,
  paymentProcessorsEnabled,
  paymentSettings,
  processorSettings,
} from './payment-settings.ts';
import {
  checkoutSettings,
  giftCardSettings,
  returnSettings,
  riskSettings,
  taxSettings,
} from './selling-settings.ts';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const storeName = setting<string | null>({
  key: 'store_name',
  group: 'general',
  description: 'Name of the shop that shoppers see; by default the host name of its address',
  schema: maybe(100),
  default: null,
});

export const storeOpen = setting({
  key: 'store_open',
  group: 'general',
  description:
    'Whether the shop is open: if so, the start page leads to it and search engines can index it. Before that, anyone who knows their address can view its pages',
  schema: z.boolean(),
  default: false,
});

export const storeEmail = setting<string | null>({
  key: 'store_email',
  group: 'general',
  description: 'Email address of the shop; shown on the contact page and in the footer',
  schema: maybe(255).refine(
    (address) => address === null || email().safeParse(address).success,
    'must be an email address, such as shop@example.com',
  ),
  default: null,
});

export const storePhone = setting<string | null>({
  key: 'store_phone',
  group: 'general',
  description: 'Phone number of the shop; shown on the contact page and in the footer',
  schema: maybe(50),
  default: null,
});

export const storeAddress = setting<string | null>({
  key: 'store_address',
  group: 'general',
  description: 'Postal address of the shop; shown on the contact page and in the footer',
  schema: maybe(500),
  default: null,
});

/** While the shop has no name, the host of its address stands for it (storefront-settled Z24). */
export const shopNameOf = (ctx: Pick<Ctx, 'settings' | 'baseUrl'>): string =>
  ctx.settings.get(storeName) ?? (new URL(ctx.baseUrl).hostname || 'localhost');

export const defaultCountry = setting({
  key: 'default_country',
  group: 'general',
  description: 'Default country of address forms, as a two-letter ISO 3166-1 code',
  schema: z.string().regex(/^[A-Z]{2}$/, 'must be a country code of two capital letters, such as DE'),
  default: 'US',
});

export const timezone = setting({
  key: 'timezone',
  group: 'general',
  description: 'Time zone of the shop, such as Europe/Berlin; used for the weekly hours of promotions',
  schema: () => z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'),
  default: 'UTC',
});

export const currencyCode = setting({
  key: 'currency_code',
  group: 'general',
  description: 'Currency of all prices, as a three-letter ISO 4217 code',
  schema: z
    .string()
    .refine((code) => currencies.has(code), 'must be a currency code of three capital letters, such as EUR'),
  default: 'USD',
});

export const currencySymbol = setting({
  key: 'currency_symbol',
  group: 'general',
  description: 'Currency symbol shown with amounts',
  schema: () => z.string().trim().min(1, 'must not be empty').max(8, 'must have at most 8 characters'),
  default: '$',
});

export const lowStockThreshold = setting({
  key: 'low_stock_threshold',
  group: 'inventory',
  description: 'Units at or below which stock counts as low, for variants without their own threshold',
  schema: () => z.int('must be a whole number').min(0).max(1_000_000),
  default: 5,
});

export const allowBackorderDefault = setting({
  key: 'allow_backorder_default',
  group: 'inventory',
  description: 'Whether new variants can be bought when they are out of stock',
  schema: z.boolean(),
  default: false,
});

export const pricesIncludeTax = setting({
  key: 'prices_include_tax',
  group: 'tax',
  description: 'Whether prices include tax',
  schema: z.boolean(),
  default: false,
});

export const promotionStackingMode = setting<'none' | 'best_wins' | 'controlled'>({
  key: 'promotion_stacking_mode',
  group: 'promotions',
  description:
    'How several promotions work together. none: one at a time, codes first. best_wins: the one that saves most, plus free shipping. controlled: those that are set to combine',
  schema: z.enum(['none', 'best_wins', 'controlled']),
  default: 'best_wins',
});

export const promotionMaxStack = setting({
  key: 'promotion_max_stack',
  group: 'promotions',
  description: 'Highest number of combined promotions in the mode controlled',
  schema: () => z.int('must be a whole number').min(1).max(20),
  default: 5,
});

export const webpQuality = setting({
  key: 'media_webp_quality',
  group: 'media',
  description: 'Quality of the sizes made from uploaded pictures, 1 to 100; files grow fast above 90',
  schema: () => z.int('must be a whole number').min(1).max(100),
  default: 82,
});

export const webhookAttempts = setting({
  key: 'webhook_max_attempts',
  group: 'webhooks',
  description:
    'Attempts of a delivery to a shop webhook: immediately, then after 30 s, 2 min, 10 min, 30 min, 2 h, 6 h and 24 h, and every 24 h after that',
  schema: () => z.int('must be a whole number').min(1).max(20),
  default: 8,
});

/** An attempt holds its delivery for a time that leaves no room for longer ones. */
export const webhookTimeoutMs = setting({
  key: 'webhook_timeout_ms',
  group: 'webhooks',
  description: 'Milliseconds that the receiver of a shop webhook has to answer',
  schema: () => z.int('must be a whole number').min(1000).max(10_000),
  default: 10_000,
});

/** Settings of the shop as a whole (storefront-domain 13), as far as their subject exists. */
export const storeSettings: readonly Setting[] = [
  storeName,
  storeOpen,
  storeEmail,
  storePhone,
  storeAddress,
  defaultCountry,
  timezone,
  currencyCode,
  currencySymbol,
  ...brandingSettings,
  labels,
  lowStockThreshold,
  allowBackorderDefault,
  pricesIncludeTax,
  ...taxSettings,
  promotionStackingMode,
  promotionMaxStack,
  ...giftCardSettings,
  ...checkoutSettings,
  ...paymentSettings,
  ...riskSettings,
  ...returnSettings,
  ...licenseSettings,
  webpQuality,
  webhookAttempts,
  webhookTimeoutMs,
] as readonly Setting[];

/**
 * Settings without a field in the forms of the panel: a page of its own changes them, or nothing reads them yet and
 * they are kept for programs that know their keys.
 */
export const settingsWithoutField: ReadonlySet<string> = new Set([
  storeOpen.key,
  labels.key,
  paymentProcessor.key,
  paymentProcessorsEnabled.key,
  ...processorSettings.map(({ key }) => key),
]);

interface Spec {
  /** As `config.features` of the public JSON calls it (storefront-settled Z8). */
  readonly short: string;
  readonly description: string;
  /** Its default once its subject is built; until then it is off and cannot be switched on. */
  readonly default: boolean;
  readonly isBuilt: boolean;
}

const specs = {
  cart_recovery_enabled: {
    short: 'cart_recovery',
    description: 'Emails about abandoned carts',
    default: false,
    isBuilt: false,
  },
  b2b_enabled: { short: 'b2b', description: 'Companies and their terms', default: false, isBuilt: false },
  merch_builder_enabled: {
    short: 'merch_builder',
    description: 'Products that shoppers design',
    default: false,
    isBuilt: false,
  },
  quotes_enabled: { short: 'quotes', description: 'Quotes on request', default: false, isBuilt: false },
  reviews_enabled: { short: 'reviews', description: 'Reviews of products', default: true, isBuilt: false },
  wishlist_enabled: { short: 'wishlist', description: 'Wish lists', default: true, isBuilt: false },
  loyalty_enabled: {
    short: 'loyalty',
    description: 'Loyalty points for orders',
    default: false,
    isBuilt: false,
  },
  vendors_enabled: {
    short: 'vendors',
    description: 'Products from several vendors',
    default: false,
    isBuilt: false,
  },
  gift_cards_enabled: { short: 'gift_cards', description: 'Gift cards', default: true, isBuilt: true },
  subscriptions_enabled: {
    short: 'subscriptions',
    description: 'Subscriptions',
    default: true,
    isBuilt: false,
  },
  returns_enabled: { short: 'returns', description: 'Returns', default: true, isBuilt: true },
  licenses_enabled: { short: 'licenses', description: 'Licenses with orders', default: true, isBuilt: true },
} as const satisfies Record<string, Spec>;

/** Key of the setting that switches a feature. */
export type FeatureKey = keyof typeof specs;

const keys = Object.keys(specs) as FeatureKey[];

function switchOf(key: FeatureKey): Setting<boolean> {
  const { description, default: initial, isBuilt }: Spec = specs[key];
  return setting<boolean>({
    key,
    group: 'features',
    description,
    schema: isBuilt
      ? z.boolean()
      : z.boolean().refine((isOn) => !isOn, 'is not part of this version and cannot be turned on'),
    default: isBuilt && initial,
    isOffered: isBuilt,
  });
}

/** The switch of every feature (storefront-domain 13). */
export const featureSettings = Object.fromEntries(keys.map((key) => [key, switchOf(key)])) as Readonly<
  Record<FeatureKey, Setting<boolean>>
>;

/** Those that this version has: the others are not offered. */
export const builtFeatures: readonly FeatureKey[] = keys.filter((key) => specs[key].isBuilt);

/** What `config.features` calls each. */
export const shortNameOf = (key: FeatureKey): string => specs[key].short;

/** Every feature, also those that this version has not. */
export const featureKeys: readonly FeatureKey[] = keys;
