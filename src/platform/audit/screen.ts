import { screen } from '../admin/index.ts';
import { type AuditEntry, AuditEntryView } from './view.ts';

/** `SETTING_CHANGED` is `Setting changed`. */
const inWords = (action: string): string => {
  const words = action.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A value of one side as people read it; empty for none. */
function written(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** What changed, a field a line: both sides of an entry beside each other. */
function changesIn({ before, after }: AuditEntry) {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields.map((field) => ({ field, before: written(before?.[field]), after: written(after?.[field]) }));
}

/** The audit log in the panel (admin.md 5.6). */
export const auditScreen = screen(AuditEntryView, {
  path: '/admin/audit-log',
  words: 'history who changed',
  area: 'system',
  nav: 'Audit log',
  order: 60,
  title: ({ seq }) => `Entry ${seq}`,
  columns: {
    at: { label: 'Time', kind: 'date' },
    actor: { value: ({ actor: { label, id, kind } }) => label ?? id ?? kind },
    action: { value: ({ action }) => inWords(action) },
    target: { value: ({ target: { type, id } }) => `${type} ${id}` },
    via: { label: 'Way' },
    ip: { hidden: true },
  },
  facts: {
    at: { label: 'Time', kind: 'date' },
    actor: { value: ({ actor: { label, id, kind } }) => label ?? id ?? kind },
    actorId: { label: 'Actor ID', kind: 'code', value: ({ actor }) => actor.id },
    action: { value: ({ action }) => inWords(action) },
    event: { label: 'Event', kind: 'code', value: ({ action }) => action },
    target: { value: ({ target: { type, id } }) => `${type} ${id}` },
    note: { label: 'Reason' },
    via: { label: 'Way' },
    ip: {},
    userAgent: { label: 'Program' },
    requestId: {},
    details: {},
    tenantId: {},
    id: {},
  },
  tabs: {
    changes: {
      label: 'Changes',
      template: 'platform/audit-changes',
      load: async (_ctx, entry) => ({
        changes: changesIn(entry),
        isNew: entry.before === null,
        isGone: entry.after === null,
      }),
    },
  },
  verdicts: {
    verify: ({ ok, checked, brokenAt, fault }) =>
      ok
        ? {
            isGood: true,
            text: `The log is intact: none of its ${checked} entries was changed, removed or added.`,
          }
        : { isGood: false, text: `The log is broken at entry ${brokenAt}: ${fault}.` },
  },
  empty: {
    text: 'Every change that someone makes is recorded here.',
    docs: 'audit-log',
    cli: 'appctl audit list',
  },
  goKey: 'a',
});
