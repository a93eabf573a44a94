import { screen } from '../admin/index.ts';
import { AuditEntryView } from './view.ts';

/** The audit log in the panel (admin.md 5.6). */
export const auditScreen = screen(AuditEntryView, {
  path: '/admin/audit-log',
  area: 'system',
  order: 60,
  nav: 'Audit log',
  title: ({ seq }) => `Entry ${seq}`,
  columns: {
    at: { label: 'Time', kind: 'date' },
    actor: { value: ({ actor: { label, id, kind } }) => label ?? id ?? kind },
    action: {},
    target: { value: ({ target: { type, id } }) => `${type} ${id}` },
    via: { label: 'Way' },
    ip: { hidden: true },
  },
  empty: {
    text: 'Every change that somebody makes is on record here.',
    docs: 'audit-log',
    cli: 'appctl audit list',
  },
  goKey: 'a',
});
