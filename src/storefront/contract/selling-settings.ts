import { z } from 'zod';
import { MAX_AMOUNT_CENTS } from '#kernel/money.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

export const taxRoundAt = setting<'line' | 'total'>({
  key: 'tax_round_at',
  group: 'tax',
  description:
    'Where tax is rounded: line rounds each line of an order, total rounds the sum of all lines with the same rates',
  schema: z.enum(['line', 'total']),
  default: 'line',
});

export const taxBasedOn = setting<'shipping' | 'billing' | 'store'>({
  key: 'tax_based_on',
  group: 'tax',
  description:
    'Whose address decides the tax: shipping, billing or store. An order without that address uses the next one',
  schema: z.enum(['shipping', 'billing', 'store']),
  default: 'shipping',
});

export const storeState = setting<string | null>({
  key: 'store_state',
  group: 'tax',
  description:
    'State of the shop, for tax that is due where the shop is; its country is default_country. A code such as CA',
  schema: maybe(10),
  default: null,
});

export const storePostalCode = setting<string | null>({
  key: 'store_postal_code',
  group: 'tax',
  description: 'Postal code of the shop, for tax that is due where the shop is',
  schema: maybe(20),
  default: null,
});

export const storeTaxId = setting<string | null>({
  key: 'store_tax_id',
  group: 'tax',
  description: 'Tax number of the shop, such as a VAT number, which its invoices show',
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
  description: 'Days for which new gift cards are valid; 0 for cards that never expire',
  schema: () => z.int('must be a whole number').min(0).max(36_500),
  default: 0,
});

export const giftCardMinCents = setting({
  key: 'gift_card_min_cents',
  group: 'gift-cards',
  description: 'Smallest amount of a gift card that shoppers can buy, in the smallest unit of the currency',
  schema: () => z.int('must be a whole number').min(1).max(MAX_AMOUNT_CENTS),
  default: 500,
});

export const giftCardMaxCents = setting({
  key: 'gift_card_max_cents',
  group: 'gift-cards',
  description: 'Largest amount of a gift card that shoppers can buy, in the smallest unit of the currency',
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
    'Whether customers have to follow the link in an email before they sign in. Without it, registering says whether an address has an account already',
  schema: z.boolean(),
  default: true,
});

export const cartExpiryDays = setting({
  key: 'cart_expiry_days',
  group: 'checkout',
  description: 'Days without a change after which a cart expires',
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
  description: 'Slug of the content page with the terms of sale, which the checkout links to',
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
  description: 'What order numbers begin with, such as WEB-; letters, digits and hyphens',
  schema: maybe(12).refine(
    (text) => text === null || /^[A-Za-z0-9-]*$/.test(text),
    'must have letters, digits and hyphens only',
  ),
  default: null,
});

export const customerCancelMinutes = setting({
  key: 'customer_cancel_minutes',
  group: 'checkout',
  description:
    'Minutes after placing an order in which shoppers can cancel it themselves while nothing was shipped',
  schema: () => z.int('must be a whole number').min(0).max(10_080),
  default: 30,
});

export const orderAutoCompleteDays = setting({
  key: 'order_auto_complete_days',
  group: 'checkout',
  description: 'Days after its last shipment after which a paid order counts as completed',
  schema: () => z.int('must be a whole number').min(1).max(365),
  default: 14,
});

export const messageDays = setting({
  key: 'contact_message_days',
  group: 'general',
  description: 'Days for which messages of the contact form are kept after they were marked as done',
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
    description: `Points that ${of}: a try to pay is 1 point, a declined one 6, within payment_tries_minutes. 0 for no limit`,
    schema: () => z.int('must be a whole number').min(0).max(100_000),
    default: initial,
  });

export const paymentTriesMinutes = setting({
  key: 'payment_tries_minutes',
  group: 'payment',
  description: 'Minutes in which tries to pay are counted together, from the first one on',
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
  'one card may collect before an order that it pays waits for a review',
  30,
);

export const riskReviewScore = setting({
  key: 'risk_review_score',
  group: 'payment',
  description:
    'Risk of an order, from 1 to 100, from which on it waits for a review before its goods leave; 0 for never',
  schema: () => z.int('must be a whole number').min(0).max(100),
  default: 60,
});

export const riskFirstOrderCents = setting({
  key: 'risk_first_order_cents',
  group: 'payment',
  description:
    'Total in the smallest unit of the currency from which on the first order of somebody counts as a risk; 0 for never',
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
  'Days in which customers can ask to return something, from its delivery, else from when it was shipped, else from the order',
  30,
);

export const returnShipDays = returnDays(
  'return_ship_days',
  'Days in which customers have to send what they may return; a week later a return that did not arrive expires',
  14,
);

export const returnAutoApprove = setting({
  key: 'return_auto_approve',
  group: 'returns',
  description: 'Whether returns are approved by themselves up to return_auto_approve_max_cents',
  schema: z.boolean(),
  default: false,
});

export const returnAutoApproveMaxCents = setting({
  key: 'return_auto_approve_max_cents',
  group: 'returns',
  description: 'Most that such a return may be worth, in the smallest unit of the currency',
  schema: () => z.int('must be a whole number').min(0).max(MAX_AMOUNT_CENTS),
  default: 0,
});

export const restockingFeeBps = setting({
  key: 'restocking_fee_bps',
  group: 'returns',
  description: 'What is kept back of a refund, in hundredths of a percent: 1000 is 10 percent',
  schema: () => z.int('must be a whole number').min(0).max(10_000),
  default: 0,
});

export const returnInstructions = setting<string | null>({
  key: 'return_instructions',
  group: 'returns',
  description: 'How and where goods are sent back; customers read it when their return is approved',
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
