import { screen } from '#platform/admin/index.ts';
import { EventView } from './view.ts';

/** The timeline of everything in the panel (admin.md 5.5). */
export const eventScreen = screen(EventView, {
  path: '/admin/events',
  area: 'insights',
  live: '/api/v1/admin/events/stream',
  order: 20,
  title: ({ type }) => type,
  columns: {
    at: { label: 'Time', kind: 'date' },
    type: { label: 'Event' },
    subject: { kind: 'code' },
    actor: { value: ({ actor: { label, id, kind } }) => label ?? id ?? kind },
    license: {
      kind: 'code',
      value: ({ licenseId }) => licenseId,
      link: ({ licenseId }) => licenseId && `/admin/licenses/${licenseId}`,
    },
    data: { hidden: true },
  },
  empty: {
    text: 'What happens to licenses, machines and keys appears here.',
    docs: 'send-webhooks',
    cli: 'appctl events tail --follow',
  },
});
