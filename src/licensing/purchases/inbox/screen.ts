import { screen } from '#platform/admin/index.ts';
import { InboundEventView } from './view.ts';

/** What payment processors reported, below each integration and alone (admin.md 5.5). */
export const inboxScreen = screen(InboundEventView, {
  path: '/admin/integrations/{configId}/events',
  itemsAt: '/admin/inbound-events',
  area: 'licensing',
  title: ({ eventName }) => eventName,
  columns: {
    receivedAt: { label: 'Received', kind: 'date', sort: 'received' },
    eventName: { label: 'Event', kind: 'code' },
    status: {},
    reason: {},
    licensesCreated: { label: 'Licenses' },
    attempts: { hidden: true },
  },
  empty: {
    text: 'Events appear here when the processor sends them to the address of the integration.',
    docs: 'purchases',
    cli: null,
  },
});
