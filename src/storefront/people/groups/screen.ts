import { storeScreen } from '#platform/admin/index.ts';
import { asRule } from './spelled.ts';
import { CustomerGroupView } from './view.ts';

const filledBy = ({ rule }: { readonly rule: object | null }): string =>
  rule === null ? 'by hand' : 'by its rule';
const flag = (is: boolean): string | null => (is ? 'tax-exempt' : null);

/** Groups of customers in the panel. */
export const customerGroupScreen = storeScreen(CustomerGroupView, {
  path: '/store/customer-groups',
  area: 'store',
  order: 71,
  nav: 'Customer groups',
  title: ({ name }) => name,
  columns: {
    name: {},
    filled: { label: 'Membership', value: filledBy },
    memberCount: { label: 'Members', kind: 'number' },
    prices: {
      label: 'Price list',
      kind: 'code',
      value: ({ priceListId }) => priceListId,
      link: ({ priceListId }) => (priceListId === null ? null : `/store/price-lists/${priceListId}`),
    },
    taxExempt: { label: 'Tax', value: ({ taxExempt }) => flag(taxExempt) },
  },
  facts: {
    filled: { label: 'Membership', value: filledBy },
    memberCount: { label: 'Members', kind: 'number' },
    prices: {
      label: 'Price list',
      kind: 'code',
      value: ({ priceListId }) => priceListId,
      link: ({ priceListId }) => (priceListId === null ? null : `/store/price-lists/${priceListId}`),
    },
    taxExempt: { label: 'Tax-exempt' },
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: {
    priceListId: 'Price list',
    taxExempt: 'Tax-exempt',
    add: 'Add customers',
    remove: 'Remove customers',
  },
  fields: {
    name: { example: 'Resellers' },
    rule: {
      kind: 'textarea',
      written: asRule,
      help: 'One condition per line, such as: orders at least 3; spent at least 100.00; last order within 90 days; registered since 2026-01-31; country is DE, AT; tag is wholesale; accepts marketing; has account. All must match, unless the first line is “any of”.',
    },
    priceListId: {
      of: 'shop-price-lists',
      help: 'Members pay the lower of this price and the public price.',
    },
    taxExempt: { help: 'Members pay no tax.' },
    add: { of: 'shop-customers', by: 'id' },
    remove: { of: 'shop-customers', by: 'id' },
  },
  tabs: {
    members: {
      label: 'Members',
      of: 'shop-customers',
      filters: ({ id }) => ({ groupId: id }),
      empty: 'No members yet. Select customers under Customers and choose Add to group.',
    },
  },
  // Customers are selected in their own list, and brought into a group from there.
  without: ['members'],
  empty: {
    text: 'A group gives its members the prices of a price list or exempts them from tax. Promotions can be limited to groups.',
    docs: 'customers',
    cli: null,
  },
});
