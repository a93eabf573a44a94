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
      empty: 'A license appears here when it is made for the email address of this customer.',
    },
  },
  fields: {
    intoCustomerId: { label: 'Into customer', help: 'The customer who stays.', of: 'customers' },
  },
  commands: {
    create: command('customer create', { flags: { metadata: pairs('meta') } }),
    merge: command('customer merge', {
      flags: { intoCustomerId: (value) => [value === '' ? 'INTO' : String(value)] },
      confirm: 'yes',
    }),
  },
  empty: {
    text: 'A customer holds licenses. Minting a license makes its customer.',
    docs: 'sell-licenses',
    cli: 'appctl license mint --product SLUG --email EMAIL',
  },
  goKey: 'c',
});
