import { screen } from '#platform/admin/index.ts';
import { AdminLicenseView } from './view.ts';

/** Licenses in the panel (admin.md 5.5). */
export const licenseScreen = screen(AdminLicenseView, {
  path: '/admin/licenses',
  area: 'licensing',
  title: ({ keyMasked }) => keyMasked,
  columns: {
    keyMasked: { label: 'Key' },
    productName: { label: 'Product', sort: 'product' },
    type: {},
    tier: {},
    status: {},
    customerEmail: { label: 'Customer', sort: 'customer', link: ({ customerId }) => `/admin/customers/${customerId}` },
    machines: { label: 'Machines', kind: 'meter', value: (one) => [one.activationsUsed, one.maxActivations] },
    validUntil: { kind: 'date' },
    orderId: { label: 'Order', hidden: true },
    createdAt: { label: 'Created', sort: 'created' },
  },
  without: ['reinstate', 'rows-made'],
  empty: {
    text: 'A license lets one customer use one product.',
    docs: 'sell-licenses',
    cli: 'appctl license mint --product SLUG --email EMAIL',
  },
  goKey: 'l',
});
