import { command, screen } from '#platform/admin/index.ts';
import { FlagView } from './view.ts';

/** Suspicious use in the panel (admin.md 5.5). */
export const abuseScreen = screen(FlagView, {
  path: '/admin/abuse',
  words: 'fraud sharing flags',
  area: 'insights',
  order: 40,
  nav: 'Abuse',
  title: ({ rule }) => rule,
  columns: {
    rule: {},
    license: {
      kind: 'code',
      value: ({ licenseId }) => licenseId,
      link: ({ licenseId }) => `/admin/licenses/${licenseId}`,
    },
    productSlug: { label: 'Product', kind: 'text' },
    score: {},
    status: {},
    createdAt: { label: 'Raised', sort: 'created' },
  },
  links: [{ label: 'Rules and thresholds', href: '/admin/abuse/rules', needs: 'licensing:read' }],
  fields: { licenseId: { label: 'License', of: 'licenses' } },
  commands: {
    create: command('abuse flag', {
      flags: { note: 'reason', licenseId: (value) => [value === '' ? 'LICENSE' : String(value)] },
    }),
    clear: command('abuse clear', { flags: { note: 'reason' } }),
    confirm: command('abuse confirm', { flags: { note: 'reason' }, confirm: 'yes' }),
  },
  empty: {
    text: 'A flag is raised when the use of a license looks suspicious.',
    docs: 'explain-a-refusal',
    cli: null,
  },
});
