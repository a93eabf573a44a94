import { CustomerView } from '#licensing/catalog/customers/view.ts';
import { command, pairs, screen } from '#platform/admin/index.ts';

/** License customers in the panel (admin.md 5.5). */
export const customerScreen = screen(CustomerView, {
  path: '/admin/customers',
  area: 'licensing',
  order: 20,
  title: ({ email }) => email,
  columns: {
    email: {},
    name: {},
    licenses: { kind: 'number', value: ({ licenses }) => licenses.length },
    createdAt: { label: 'Created', sort: 'created' },
    anonymizedAt: { label: 'Erased', hidden: true },
  },
  tabs: {
    licenses: {
      label: 'Licenses',
      of: 'licenses',
      filters: ({ id }) => ({ customerId: id }),
      empty: "Licenses created for this customer's email address appear here.",
    },
  },
  fields: {
    intoCustomerId: { label: 'Merge into', help: 'This customer is kept.', of: 'customers' },
  },
  commands: {
    create: command('customer create', { flags: { metadata: pairs('meta') } }),
    merge: command('customer merge', {
      flags: { intoCustomerId: (value) => [value === '' ? 'INTO' : String(value)] },
      confirm: 'yes',
    }),
  },
  empty: {
    text: 'Customers hold licenses. A customer is created with their first license.',
    docs: 'sell-licenses',
    cli: 'appctl license mint --product SLUG --email EMAIL',
  },
  goKey: 'c',
});
