import { command, screen } from '#platform/admin/index.ts';
import { AdminActivationView } from './view.ts';

const freed = command('license machines remove', {
  args: ({ licenseId, machineId }) => [String(licenseId), String(machineId)],
  flags: { reason: null },
  confirm: 'yes',
});

/** Machines in the panel: every activation, of machines and of floating seats (admin.md 5.5). */
export const machineScreen = screen(AdminActivationView, {
  path: '/admin/machines',
  words: 'activation device computer',
  area: 'licensing',
  order: 30,
  nav: 'Machines',
  title: ({ machineName, machineId }) => machineName ?? machineId,
  columns: {
    machineId: { label: 'Machine' },
    machineName: { label: 'Name' },
    license: {
      kind: 'code',
      value: ({ keyPrefix }) => `${keyPrefix}-…`,
      link: ({ licenseId }) => `/admin/licenses/${licenseId}`,
    },
    productSlug: { label: 'Product', kind: 'text' },
    os: { label: 'System', value: ({ osName, osVersion }) => [osName, osVersion].filter(Boolean).join(' ') },
    appVersion: { label: 'Version' },
    lastSeenAt: { label: 'Last seen', sort: 'lastSeen' },
    stale: {},
    kind: { hidden: true },
    activatedAt: { label: 'Activated', sort: 'activated', hidden: true },
  },
  charts: async (ctx, query) => (await import('./versions/charts.ts')).versionCharts(ctx, query),
  commands: { release: freed, remove: freed },
  empty: {
    text: 'A machine appears here when an application activates a license on it.',
    docs: 'call-the-api',
    cli: null,
  },
  goKey: 'm',
});
