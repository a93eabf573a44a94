import { z } from 'zod';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

export const taxRoundAt = setting<'line' | 'total'>({
  key: 'tax_round_at',
  group: 'tax',
  description:
    'How tax is rounded: line rounds each line of an order, total rounds the sum of all lines with the same rates',
  schema: z.enum(['line', 'total']),
  default: 'line',
});

export const taxBasedOn = setting<'shipping' | 'billing' | 'store'>({
  key: 'tax_based_on',
  group: 'tax',
  description:
    'Which address decides the tax: shipping, billing or store. An order without that address uses the next one',
  schema: z.enum(['shipping', 'billing', 'store']),
  default: 'shipping',
});

export const storeState = setting<string | null>({
  key: 'store_state',
  group: 'tax',
  description:
    "State of the shop, for tax by the shop's location; the country is default_country. A code such as CA",
  schema: maybe(10),
  default: null,
});

export const storePostalCode = setting<string | null>({
  key: 'store_postal_code',
  group: 'tax',
  description: "Postal code of the shop, for tax by the shop's location",
  schema: maybe(20),
  default: null,
});

export const storeTaxId = setting<string | null>({
  key: 'store_tax_id',
  group: 'tax',
  description: 'Tax number of the shop, such as a VAT number; shown on invoices',
  schema: maybe(50),
  default: null,
});

/** Settings of tax beside `prices_include_tax`. */
export const taxSettings = [
  taxRoundAt,
  taxBasedOn,
  storeState,
  storePostalCode,
  storeTaxId,
] as readonly Setting[];

export const giftCardExpiryDays = setting({
  key: 'gift_card_expiry_days',
  group: 'gift-cards',
  description: 'Days that new gift cards are valid; 0 for cards that never expire',
  schema: () => z.int('must be a whole number').min(0).max(36_500),
  default: 0,
});

export const giftCardMinCents = setting({
  key: 'gift_card_min_cents',
  group: 'gift-cards',
  description: 'Smallest gift card amount that shoppers can buy, in the smallest unit of the currency',
  schema: () => z.int('must be a whole number').min(1).max(MAX_AMOUNT_CENTS),
  default: 500,
});

export const giftCardMaxCents = setting({
  key: 'gift_card_max_cents',
  group: 'gift-cards',
  description: 'Largest gift card amount that shoppers can buy, in the smallest unit of the currency',
  schema: () => z.int('must be a whole number').min(1).max(MAX_AMOUNT_CENTS),
  default: 50_000,
});

/** Settings of gift cards (storefront-domain 13). */
export const giftCardSettings = [
  giftCardExpiryDays,
  giftCardMinCents,
  giftCardMaxCents,
] as readonly Setting[];

export const requireEmailVerification = setting({
  key: 'require_email_verification',
  group: 'security',
  description:
    'Whether customers must verify their email address before they sign in. If off, registration reveals whether an address already has an account',
  schema: z.boolean(),
  default: true,
});

export const cartExpiryDays = setting({
  key: 'cart_expiry_days',
  group: 'checkout',
  description: 'Days of inactivity until a cart expires',
  schema: () => z.int('must be a whole number').min(1).max(3650),
  default: 60,
});

export const guestCheckoutEnabled = setting({
  key: 'guest_checkout_enabled',
  group: 'checkout',
  description: 'Whether orders can be placed without an account',
  schema: z.boolean(),
  default: true,
});

export const termsPageSlug = setting<string | null>({
  key: 'terms_page_slug',
  group: 'checkout',
  description: 'Slug of the page with the terms of sale; the checkout links to it',
  schema: maybe(63),
  default: null,
});

export const termsRequired = setting({
  key: 'terms_required',
  group: 'checkout',
  description: 'Whether shoppers have to accept the terms of sale before they order',
  schema: z.boolean(),
  default: false,
});

export const orderNumberPrefix = setting<string | null>({
  key: 'order_number_prefix',
  group: 'checkout',
  description: 'Prefix of order numbers, such as WEB-; letters, digits and hyphens',
  schema: maybe(12).refine(
    (text) => text === null || /^[A-Za-z0-9-]*$/.test(text),
    'must have letters, digits and hyphens only',
  ),
  default: null,
});

export const customerCancelMinutes = setting({
  key: 'customer_cancel_minutes',
  group: 'checkout',
  description: 'Minutes after ordering in which shoppers can cancel an unshipped order themselves',
  schema: () => z.int('must be a whole number').min(0).max(10_080),
  default: 30,
});

export const orderAutoCompleteDays = setting({
  key: 'order_auto_complete_days',
  group: 'checkout',
  description: 'Days after the last shipment until a paid order counts as completed',
  schema: () => z.int('must be a whole number').min(1).max(365),
  default: 14,
});

export const messageDays = setting({
  key: 'contact_message_days',
  group: 'general',
  description: 'Days to keep contact form messages after they are marked as done',
  schema: () => z.int('must be a whole number').min(1).max(3650),
  default: 365,
});

/** Settings of cart, checkout and orders, and of what people write to the shop. */
export const checkoutSettings = [
  requireEmailVerification,
  guestCheckoutEnabled,
  termsPageSlug,
  termsRequired,
  orderNumberPrefix,
  customerCancelMinutes,
  orderAutoCompleteDays,
  cartExpiryDays,
  messageDays,
] as readonly Setting[];

const tries = (key: string, of: string, initial: number) =>
  setting({
    key,
    group: 'payment',
    description: `Points that ${of}: a payment attempt is 1 point, a declined one 6, within payment_tries_minutes. 0 for no limit`,
    schema: () => z.int('must be a whole number').min(0).max(100_000),
    default: initial,
  });

export const paymentTriesMinutes = setting({
  key: 'payment_tries_minutes',
  group: 'payment',
  description: 'Minutes in which payment attempts are counted together, starting with the first',
  schema: () => z.int('must be a whole number').min(1).max(1440),
  default: 60,
});
export const paymentTriesEmail = tries(
  'payment_tries_email',
  'one email address may collect before it has to wait',
  30,
);
export const paymentTriesIp = tries(
  'payment_tries_ip',
  'one network address may collect before it has to wait',
  60,
);
export const paymentTriesCard = tries(
  'payment_tries_card',
  'one card may collect before its order needs a review',
  30,
);

export const riskReviewScore = setting({
  key: 'risk_review_score',
  group: 'payment',
  description: 'Risk of an order, from 1 to 100, at which it needs a review before it ships; 0 for never',
  schema: () => z.int('must be a whole number').min(0).max(100),
  default: 60,
});

export const riskFirstOrderCents = setting({
  key: 'risk_first_order_cents',
  group: 'payment',
  description:
    "Total in the smallest unit of the currency at which someone's first order counts as a risk; 0 for never",
  schema: () => z.int('must be a whole number').min(0).max(MAX_AMOUNT_CENTS),
  default: 50_000,
});

/** Settings of the defence against people who try out cards (decision 0075). */
export const riskSettings = [
  riskReviewScore,
  riskFirstOrderCents,
  paymentTriesMinutes,
  paymentTriesEmail,
  paymentTriesIp,
  paymentTriesCard,
] as readonly Setting[];

const returnDays = (key: string, description: string, initial: number) =>
  setting({
    key,
    group: 'returns',
    description,
    schema: () => z.int('must be a whole number').min(1).max(3650),
    default: initial,
  });

export const returnWindowDays = returnDays(
  'return_window_days',
  'Days to request a return, counted from delivery, or else from shipping or the order',
  30,
);

export const returnShipDays = returnDays(
  'return_ship_days',
  'Days for customers to send an approved return; it expires a week later if it has not arrived',
  14,
);

export const returnAutoApprove = setting({
  key: 'return_auto_approve',
  group: 'returns',
  description: 'Whether returns up to return_auto_approve_max_cents are approved automatically',
  schema: z.boolean(),
  default: false,
});

export const returnAutoApproveMaxCents = setting({
  key: 'return_auto_approve_max_cents',
  group: 'returns',
  description: 'Highest value of a return approved automatically, in the smallest unit of the currency',
  schema: () => z.int('must be a whole number').min(0).max(MAX_AMOUNT_CENTS),
  default: 0,
});

export const restockingFeeBps = setting({
  key: 'restocking_fee_bps',
  group: 'returns',
  description: 'Restocking fee kept from a refund, in hundredths of a percent: 1000 is 10 percent',
  schema: () => z.int('must be a whole number').min(0).max(10_000),
  default: 0,
});

export const returnInstructions = setting<string | null>({
  key: 'return_instructions',
  group: 'returns',
  description: 'Where and how to send returns; shown to customers when their return is approved',
  schema: maybe(5000),
  default: null,
});

/** Settings of returns (storefront-domain 13). */
export const returnSettings = [
  returnWindowDays,
  returnShipDays,
  returnAutoApprove,
  returnAutoApproveMaxCents,
  restockingFeeBps,
  returnInstructions,
] as readonly Setting[];
