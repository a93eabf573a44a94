import { command, screen } from '#platform/admin/index.ts';
import { UsageRowView } from './view.ts';

/** Metered usage in the panel (admin.md 5.5). */
export const usageScreen = screen(UsageRowView, {
  path: '/admin/usage',
  area: 'licensing',
  order: 50,
  nav: 'Usage',
  key: 'licenseId',
  title: ({ keyPrefix }) => `${keyPrefix}-…`,
  columns: {
    license: { kind: 'code', value: ({ keyPrefix }) => `${keyPrefix}-…` },
    productSlug: { label: 'Product', kind: 'text', sort: 'product' },
    customerEmail: { label: 'Customer' },
    used: { kind: 'meter', value: ({ current, max }) => [current, max] },
    percentUsed: { label: 'Used', kind: 'percent' },
  },
  views: [{ name: 'Exhausted', query: 'level=EXHAUSTED' }],
  commands: {
    reset: command('license usage reset', { confirm: 'yes' }),
    'raise-limit': command('license update', { confirm: 'yes' }),
  },
  empty: {
    text: 'Licenses appear here when an application records usage against them.',
    docs: 'call-the-api',
    cli: null,
  },
});
