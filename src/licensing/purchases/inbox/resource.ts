import { adminResource, answering } from '#platform/admin/index.ts';
import * as integrations from '../integrations/index.ts';
import { getInboundEvent, reprocess } from './events/events.ts';
import { eventRows, type InboundEvent, type InboundEventDetails } from './events/queries.ts';
import { inboxScreen } from './screen.ts';
import { InboundEventDetailsView, InboundEventView, ReprocessedView } from './view.ts';

/** What payment processors reported, for staff (licensing 4.2, Integrations in). */
export const inboundEventResource = adminResource<InboundEvent>({
  name: 'inbox-events',
  labels: { one: 'inbound event', many: 'inbound events' },
  about: 'Events from payment processors',
  needs: { read: 'licensing:read' },
  screen: inboxScreen,
  rows: eventRows,
  get: (ctx, id) => getInboundEvent(ctx, id),
  actions: {
    reprocess: answering<InboundEvent, typeof ReprocessedView>({
      label: 'Process again',
      summary: 'Process an event again; existing licenses are not created twice',
      needs: 'licensing:write',
      level: 'mild',
      where: 'row',
      output: ReprocessedView,
      // It is done in several transactions, each of which builds on the one before.
      rehearsable: false,
      run: (ctx, id, _input, how) => reprocess(ctx, id, how),
    }),
  },
  apis: [
    {
      surface: 'license-admin',
      path: '/integrations/{configId}/events',
      parent: {
        name: 'configId',
        filter: 'configId',
        find: async (ctx, named) => (await integrations.get(ctx, named)).id,
      },
      itemsAt: '/inbound-events',
      item: 'event',
      type: 'InboundEvent',
      view: InboundEventView,
      toView: (event) => event,
      details: { view: InboundEventDetailsView, toView: (event) => event as InboundEventDetails },
      summaries: {
        list: 'List the events of an integration, newest first',
        get: 'Show one event with its body and the licenses that it created',
      },
    },
  ],
});
