/** How the panel's forms ask for a promotion. */
import type { FieldHint, Section } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { asCountries, asCustomers, asHours, asPercent, asTargets } from './spelled.ts';

const choice = (value: string, label: string) => ({ value, label });
const ONE_A_LINE =
  'One per line, type before name: category mugs, collection summer, product oak-mug, variant MUG-1 or tag sale. Use slugs as names, and the SKU for a variant.';

export const sections: readonly Section[] = [
  {
    title: 'What shoppers get',
    fields: ['name', 'code', 'effect', 'percentBps', 'amountCents', 'value', 'status'],
  },
  {
    title: 'Buy X, get Y',
    help: 'Only for the effect “Buy X, get Y”.',
    fields: [
      'buyQuantity',
      'buy',
      'getQuantity',
      'get',
      'getEffect',
      'getPercentBps',
      'getAmountCents',
      'getValue',
      'maxSets',
      'getSelection',
    ],
  },
  {
    title: 'Products',
    fields: ['appliesTo', 'excludes', 'excludeSale', 'maxUnits', 'maxDiscountCents'],
  },
  {
    title: 'Conditions',
    fields: ['minSubtotalCents', 'minQuantity', 'customerRule', 'shippingRule'],
  },
  { title: 'When', fields: ['startsAt', 'endsAt', 'scheduleRule'] },
  { title: 'Usage limits', fields: ['usageLimit', 'usageLimitPerCustomer'] },
  {
    title: 'Combination with other promotions',
    help: 'Most of this only matters if the setting “Several promotions” is controlled.',
    isRare: true,
    fields: ['type', 'class', 'scope', 'priority', 'stackable', 'combinesWith', 'exclusionGroup'],
  },
];

export const labels: Readonly<Record<string, string>> = {
  percentBps: 'Percent off',
  amountCents: 'Amount off, or fixed price',
  appliesTo: 'Only these products',
  excludes: 'Exclude these products',
  excludeSale: 'Exclude products on sale',
  maxUnits: 'Maximum units',
  scope: 'Apply a fixed amount',
  maxDiscountCents: 'Maximum discount',
  buyQuantity: 'Buy quantity',
  buy: 'Buy products',
  getQuantity: 'Get quantity',
  get: 'Get products',
  getEffect: 'Their price',
  getPercentBps: 'Percent off them',
  getAmountCents: 'Amount off them, or their price',
  getSelection: 'Which units are reduced',
  maxSets: 'Maximum times per order',
  minSubtotalCents: 'Minimum order',
  minQuantity: 'Minimum quantity',
  customerRule: 'For customers',
  shippingRule: 'Ships to these countries',
  startsAt: 'From',
  endsAt: 'Until',
  scheduleRule: 'Only on these days and hours',
  usageLimit: 'Total uses',
  usageLimitPerCustomer: 'Uses per customer',
  class: 'Applies to',
  stackable: 'Combines with others',
  combinesWith: 'Combines with these',
  exclusionGroup: 'Exclusive group',
};

export const fields: Readonly<Record<string, FieldHint>> = {
  name: { example: 'Summer sale', help: 'Shoppers see it in their cart.' },
  code: {
    example: 'TEN',
    help: 'Shoppers enter it; not case-sensitive. Leave empty to apply the promotion automatically. For many codes, set the type to coupon and generate them later.',
  },
  type: {
    options: [
      choice('', 'Automatic choice: coupon with a code, automatic without'),
      choice('coupon', 'Coupon: shoppers enter a code'),
      choice('automatic', 'Automatic: no code'),
      choice('bogo', 'Buy X, get Y: with or without a code'),
    ],
  },
  effect: {
    options: [
      choice('percent', 'Percent off'),
      choice('fixed_amount', 'Amount off'),
      choice('fixed_price', 'Fixed price per unit'),
      choice('free_shipping', 'Free shipping'),
      choice('bogo', 'Buy X, get Y'),
    ],
  },
  percentBps: { written: asPercent, example: '10', help: 'For the effect “Percent off”.' },
  amountCents: {
    written: asAmount,
    example: '5.00',
    help: 'For the effects “Amount off” and “Fixed price per unit”.',
  },
  value: { kind: 'hidden' },
  status: {
    options: [choice('', 'Draft: nobody gets it yet'), choice('active', 'Active: shoppers get it')],
  },
  class: {
    options: [
      choice('', 'Automatic choice: the listed products, or else the whole order'),
      choice('item', 'Units of products'),
      choice('order', 'The order as a whole'),
      choice('shipping', 'Shipping'),
    ],
  },
  scope: {
    options: [choice('per_unit', 'For each unit'), choice('once', 'Once, over all units')],
  },
  appliesTo: {
    kind: 'textarea',
    written: asTargets,
    example: 'category mugs',
    help: `Empty: all goods. ${ONE_A_LINE}`,
  },
  excludes: { kind: 'textarea', written: asTargets, help: 'Same format as above.' },
  maxUnits: { help: 'The most expensive ones first. Leave empty for all.' },
  maxDiscountCents: { written: asAmount, help: 'Leave empty for no limit.' },
  buyQuantity: { example: '2' },
  buy: {
    kind: 'textarea',
    written: asTargets,
    example: 'category mugs',
    help: `“everything”, or ${ONE_A_LINE.charAt(0).toLowerCase()}${ONE_A_LINE.slice(1)}`,
  },
  getQuantity: { example: '1' },
  get: { kind: 'textarea', written: asTargets, help: 'Leave empty for the same products.' },
  getEffect: {
    options: [
      choice('percent', 'Free, or the percentage below'),
      choice('fixed_amount', 'Amount off'),
      choice('fixed_price', 'Fixed price'),
    ],
  },
  getPercentBps: { written: asPercent, help: 'Empty: free.' },
  getAmountCents: { written: asAmount },
  getValue: { kind: 'hidden' },
  getSelection: {
    options: [
      choice('grouped', 'Those closest in price to what is bought'),
      choice('cheapest', 'The cheapest in the cart'),
    ],
  },
  maxSets: { help: 'Leave empty for as often as possible.' },
  minSubtotalCents: { written: asAmount, example: '50.00', help: 'Value of the items before discounts.' },
  minQuantity: { help: 'Units in the cart.' },
  customerRule: {
    kind: 'textarea',
    written: asCustomers,
    help: 'Enter logged in, first order, groups and their names, or emails at example.com.',
  },
  shippingRule: {
    kind: 'textarea',
    written: asCountries,
    help: 'For free or cheaper shipping: two-letter codes, such as DE, AT.',
  },
  startsAt: { help: 'Leave empty to start immediately.' },
  endsAt: { help: 'Leave empty for no end.' },
  scheduleRule: {
    kind: 'textarea',
    written: asHours,
    help: 'Such as Mon-Fri 09:00-17:00. Leave empty for always.',
  },
  usageLimit: { help: 'Orders of all customers together. Leave empty for no limit.' },
  usageLimitPerCustomer: { help: 'By account and by email address. Leave empty for no limit.' },
  priority: { help: 'Low numbers come first. Leave empty for 100.' },
  combinesWith: {
    options: [
      choice('item', 'Promotions on single items'),
      choice('order', 'Promotions on the whole order'),
      choice('shipping', 'Promotions on shipping'),
    ],
  },
  exclusionGroup: { help: 'A name shared by several promotions, only one of which applies.' },
  count: { label: 'How many', example: '100' },
  codes: { label: 'Or these codes', help: 'One per line.' },
  prefix: { example: 'SUMMER-', help: 'Each generated code begins with it.' },
  length: { label: 'Characters after the prefix', help: 'Empty: 8.' },
  expiresAt: { label: 'Valid until', help: 'Leave empty to end with the promotion.' },
};
