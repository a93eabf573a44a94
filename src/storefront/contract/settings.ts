import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { type Setting, setting } from '#kernel/settings.ts';

/** A text that may be missing; an empty one counts so. */
const maybe = (most: number) =>
  z
    .string()
    .max(most, `must have at most ${most} characters`)
    .nullable()
    .overwrite((value) => (value === null || value.trim() === '' ? null : value.trim()));

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const storeName = setting<string | null>({
  key: 'store_name',
  group: 'general',
  description:
    'Name of the shop, as shoppers read it; while there is none, the host of its address stands for it',
  schema: maybe(100),
  default: null,
});

export const storeOpen = setting({
  key: 'store_open',
  group: 'general',
  description:
    'Whether the shop is open: the start page then leads to it, and search engines may read it. Its pages can be looked at before, by whoever knows their address',
  schema: z.boolean(),
  default: false,
});

/** While the shop has no name, the host of its address stands for it (storefront-settled Z24). */
export const shopNameOf = (ctx: Pick<Ctx, 'settings' | 'baseUrl'>): string =>
  ctx.settings.get(storeName) ?? (new URL(ctx.baseUrl).hostname || 'localhost');

export const defaultCountry = setting({
  key: 'default_country',
  group: 'general',
  description: 'Country that address forms begin with, ISO 3166-1 with two letters',
  schema: z.string().regex(/^[A-Z]{2}$/, 'must be a country in two capital letters, such as DE'),
  default: 'US',
});

export const currencyCode = setting({
  key: 'currency_code',
  group: 'general',
  description: 'Currency of every price, ISO 4217 with three letters',
  schema: z
    .string()
    .refine((code) => currencies.has(code), 'must be a currency in three capital letters, such as EUR'),
  default: 'USD',
});

export const currencySymbol = setting({
  key: 'currency_symbol',
  group: 'general',
  description: 'What stands beside amounts',
  schema: z.string().trim().min(1, 'must not be empty').max(8, 'must have at most 8 characters'),
  default: '$',
});

export const brandColor = setting({
  key: 'brand_color',
  group: 'branding',
  description: 'Primary color of the shop, as #rrggbb',
  schema: z.string().regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #111827'),
  default: '#111827',
});

export const lowStockThreshold = setting({
  key: 'low_stock_threshold',
  group: 'inventory',
  description: 'Units at or below which stock counts as low, where a variant has no threshold of its own',
  schema: z.int('must be a whole number').min(0).max(1_000_000),
  default: 5,
});

export const pricesIncludeTax = setting({
  key: 'prices_include_tax',
  group: 'tax',
  description: 'Whether prices are shown and entered with tax',
  schema: z.boolean(),
  default: false,
});

export const promotionStackingMode = setting({
  key: 'promotion_stacking_mode',
  group: 'promotions',
  description: 'How several promotions work together: none, best_wins or controlled',
  schema: z.enum(['none', 'best_wins', 'controlled']),
  default: 'best_wins',
});

export const paymentProcessor = setting<string | null>({
  key: 'payment_processor',
  group: 'payment',
  description: 'The processor that takes payments; there is none to choose yet',
  // The registry of processors decides about it when there is one: until then nothing may stand here.
  schema: maybe(30).refine((id) => id === null, 'there is no payment processor to choose in this version'),
  default: null,
});

export const webpQuality = setting({
  key: 'media_webp_quality',
  group: 'media',
  description: 'Quality of the pictures that are made from uploaded ones, 1 to 100; files grow fast above 90',
  schema: z.int('must be a whole number').min(1).max(100),
  default: 82,
});

/** Settings of the shop as a whole (storefront-domain 13), as far as their subject exists. */
export const storeSettings: readonly Setting[] = [
  storeName,
  storeOpen,
  defaultCountry,
  currencyCode,
  currencySymbol,
  brandColor,
  lowStockThreshold,
  pricesIncludeTax,
  promotionStackingMode,
  paymentProcessor,
  webpQuality,
] as readonly Setting[];

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
    description: 'Mails about carts that were left',
    default: false,
    isBuilt: false,
  },
  b2b_enabled: { short: 'b2b', description: 'Companies and their terms', default: false, isBuilt: false },
  merch_builder_enabled: {
    short: 'merch_builder',
    description: 'Goods that shoppers design',
    default: false,
    isBuilt: false,
  },
  quotes_enabled: { short: 'quotes', description: 'Offers on request', default: false, isBuilt: false },
  reviews_enabled: { short: 'reviews', description: 'Reviews of products', default: true, isBuilt: false },
  wishlist_enabled: { short: 'wishlist', description: 'Wish lists', default: true, isBuilt: false },
  loyalty_enabled: { short: 'loyalty', description: 'Points for orders', default: false, isBuilt: false },
  vendors_enabled: {
    short: 'vendors',
    description: 'Products of several vendors',
    default: false,
    isBuilt: false,
  },
  gift_cards_enabled: { short: 'gift_cards', description: 'Gift cards', default: true, isBuilt: false },
  subscriptions_enabled: {
    short: 'subscriptions',
    description: 'Orders that renew themselves',
    default: true,
    isBuilt: false,
  },
  returns_enabled: { short: 'returns', description: 'Returns of goods', default: true, isBuilt: false },
  licenses_enabled: { short: 'licenses', description: 'Licenses with orders', default: true, isBuilt: false },
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
      : z.boolean().refine((isOn) => !isOn, 'is not part of this version and cannot be switched on'),
    default: isBuilt && initial,
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
