import { command, screen } from '#platform/admin/index.ts';
import { SeatView } from './view.ts';

/** Floating seats in the panel (admin.md 5.5). */
export const seatScreen = screen(SeatView, {
  path: '/admin/seats',
  area: 'licensing',
  order: 40,
  nav: 'Floating seats',
  title: ({ machineName, machineId }) => machineName ?? machineId,
  columns: {
    machine: { kind: 'code', value: ({ machineId }) => machineId },
    machineName: { label: 'Name' },
    license: {
      kind: 'code',
      value: ({ keyPrefix }) => `${keyPrefix}-…`,
      link: ({ licenseId }) => `/admin/licenses/${licenseId}`,
    },
    productSlug: { label: 'Product', kind: 'text' },
    since: {},
    leaseExpiresAt: { label: 'Lease ends', sort: 'leaseExpires' },
  },
  charts: async (ctx, query) => (await import('./hours/charts.ts')).seatCharts(ctx, query),
  commands: {
    release: command('license free-seat', {
      args: ({ licenseId, machineId }) => [String(licenseId), '--machine', String(machineId)],
      confirm: 'yes',
    }),
  },
  empty: {
    text: 'Seats appear here while an application uses them.',
    docs: 'call-the-api',
    cli: null,
  },
});
