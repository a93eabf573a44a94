/** How the panel's forms ask for a promotion. */
import type { FieldHint, Section } from '#platform/admin/index.ts';
import { asAmount } from '#storefront/contract/amount-field.ts';
import { asCountries, asCustomers, asHours, asPercent, asTargets } from './spelled.ts';

const choice = (value: string, label: string) => ({ value, label });
const ONE_A_LINE =
  'One per line, each with what it is before its name: category mugs, collection summer, product oak-mug, variant MUG-1 or tag sale. The names are those in the address of its page, and the SKU of a variant.';

export const sections: readonly Section[] = [
  {
    title: 'What shoppers get',
    fields: ['name', 'code', 'effect', 'percentBps', 'amountCents', 'value', 'status'],
  },
  {
    title: 'Buy some, get some',
    help: 'Only for the effect “Buy some, get some”.',
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
    title: 'Which goods',
    fields: ['appliesTo', 'excludes', 'excludeSale', 'maxUnits', 'maxDiscountCents'],
  },
  {
    title: 'Conditions',
    fields: ['minSubtotalCents', 'minQuantity', 'customerRule', 'shippingRule'],
  },
  { title: 'When', fields: ['startsAt', 'endsAt', 'scheduleRule'] },
  { title: 'How often', fields: ['usageLimit', 'usageLimitPerCustomer'] },
  {
    title: 'Beside other promotions',
    help: 'Most of it matters only when the setting “Several promotions” is controlled.',
    isRare: true,
    fields: ['type', 'class', 'scope', 'priority', 'stackable', 'combinesWith', 'exclusionGroup'],
  },
];

export const labels: Readonly<Record<string, string>> = {
  percentBps: 'Percent off',
  amountCents: 'Amount off, or fixed price',
  appliesTo: 'Only these goods',
  excludes: 'Not these goods',
  excludeSale: 'Leave out goods on sale',
  maxUnits: 'At most so many units',
  scope: 'A fixed amount counts',
  maxDiscountCents: 'At most this much off',
  buyQuantity: 'Buy so many',
  buy: 'Of these goods',
  getQuantity: 'Get so many',
  get: 'Get them of these goods',
  getEffect: 'What they cost then',
  getPercentBps: 'Percent off them',
  getAmountCents: 'Amount off them, or their price',
  getSelection: 'Which ones are reduced',
  maxSets: 'At most so many times per order',
  minSubtotalCents: 'Minimum order',
  minQuantity: 'Minimum quantity',
  customerRule: 'For customers',
  shippingRule: 'Ships to these countries',
  startsAt: 'From',
  endsAt: 'Until',
  scheduleRule: 'Only on these days and hours',
  usageLimit: 'Uses in all',
  usageLimitPerCustomer: 'Uses per customer',
  class: 'Lowers',
  stackable: 'Combines with others',
  combinesWith: 'Combines with these',
  exclusionGroup: 'Never beside others of the group',
};

export const fields: Readonly<Record<string, FieldHint>> = {
  name: { example: 'Summer sale', help: 'Shoppers see it in their cart.' },
  code: {
    example: 'TEN',
    help: 'Shoppers enter it; case does not matter. Empty: the promotion applies by itself. For many different codes, set the type to coupon and generate them afterwards.',
  },
  type: {
    options: [
      choice('', 'By the code: with one a coupon, without one automatic'),
      choice('coupon', 'Coupon: shoppers enter a code'),
      choice('automatic', 'Automatic: no code'),
      choice('bogo', 'Buy some, get some: with a code or without'),
    ],
  },
  effect: {
    options: [
      choice('percent', 'Percent off'),
      choice('fixed_amount', 'Amount off'),
      choice('fixed_price', 'Fixed price per unit'),
      choice('free_shipping', 'Free shipping'),
      choice('bogo', 'Buy some, get some'),
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
      choice('', 'By the goods: those that are named, otherwise the whole order'),
      choice('item', 'Units of goods'),
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
  excludes: { kind: 'textarea', written: asTargets, help: 'As above.' },
  maxUnits: { help: 'The most expensive ones first. Empty: all.' },
  maxDiscountCents: { written: asAmount, help: 'Empty: no limit.' },
  buyQuantity: { example: '2' },
  buy: {
    kind: 'textarea',
    written: asTargets,
    example: 'category mugs',
    help: `“everything”, or ${ONE_A_LINE.charAt(0).toLowerCase()}${ONE_A_LINE.slice(1)}`,
  },
  getQuantity: { example: '1' },
  get: { kind: 'textarea', written: asTargets, help: 'Empty: the same goods.' },
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
      choice('grouped', 'Those that cost about as much as what is bought'),
      choice('cheapest', 'The cheapest ones of the cart'),
    ],
  },
  maxSets: { help: 'Empty: as often as it fits.' },
  minSubtotalCents: { written: asAmount, example: '50.00', help: 'Of the goods before discounts.' },
  minQuantity: { help: 'Units in the cart.' },
  customerRule: {
    kind: 'textarea',
    written: asCustomers,
    help: 'Write logged in, first order, groups and their names, or emails at example.com.',
  },
  shippingRule: {
    kind: 'textarea',
    written: asCountries,
    help: 'For free or cheaper shipping: two letters each, such as DE, AT.',
  },
  startsAt: { help: 'Empty: at once.' },
  endsAt: { help: 'Empty: without an end.' },
  scheduleRule: { kind: 'textarea', written: asHours, help: 'Such as Mon-Fri 09:00-17:00. Empty: always.' },
  usageLimit: { help: 'Orders of all customers together. Empty: no limit.' },
  usageLimitPerCustomer: { help: 'By account and by email address. Empty: no limit.' },
  priority: { help: 'Small numbers come first. Empty: 100.' },
  combinesWith: {
    options: [
      choice('item', 'Promotions of single goods'),
      choice('order', 'Promotions of the whole order'),
      choice('shipping', 'Promotions of shipping'),
    ],
  },
  exclusionGroup: { help: 'A word that several promotions share: only one of them applies.' },
  count: { label: 'How many', example: '100' },
  codes: { label: 'Or these codes', help: 'One per line.' },
  prefix: { example: 'SUMMER-', help: 'Each generated code begins with it.' },
  length: { label: 'Characters after the prefix', help: 'Empty: 8.' },
  expiresAt: { label: 'Valid until', help: 'Empty: as long as the promotion.' },
};
