import { screen } from '#platform/admin/index.ts';
import { outcomeOf, receivedBody } from './tabs.ts';
import { InboundEventDetailsView } from './view.ts';

/** What payment processors reported, below each integration and alone (admin.md 5.5). */
export const inboxScreen = screen(InboundEventDetailsView, {
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
  views: [
    { name: 'To do', query: 'status=FAILED' },
    { name: 'Unmatched products', query: 'reason=UNMAPPED' },
    { name: 'Partly unmatched', query: 'reason=PARTLY_UNMAPPED' },
  ],
  facts: {
    eventName: { label: 'Event', kind: 'code' },
    status: {},
    reason: {},
    processorEventId: { label: 'ID at the processor', kind: 'code' },
    paymentId: { label: 'Payment', kind: 'code' },
    orderId: { label: 'Order', kind: 'code' },
    integration: {
      kind: 'code',
      value: ({ configId }) => configId,
      link: ({ configId }) => `/admin/integrations/${encodeURIComponent(configId)}`,
    },
    licensesCreated: { label: 'Licenses' },
    attempts: {},
    nextAttemptAt: { label: 'Next attempt', kind: 'date' },
    receivedAt: { label: 'Received', kind: 'date' },
    processedAt: { label: 'Processed', kind: 'date' },
  },
  tabs: {
    outcome: { label: 'Outcome', template: 'licensing/integrations/outcome', load: outcomeOf },
    body: { label: 'Body', template: 'licensing/integrations/body', load: receivedBody },
  },
  empty: {
    text: "Events appear here when the processor sends them to the integration's address.",
    docs: 'purchases',
    cli: null,
  },
});
