import { adminResource } from '#platform/admin/index.ts';
import { eventRows } from './queries.ts';
import { eventScreen } from './screen.ts';
import { EventView } from './view.ts';

/** The timeline of everything, for staff (licensing 4.2, Logs). */
export const eventResource = adminResource<EventView>({
  name: 'events',
  labels: { one: 'event', many: 'events' },
  about: 'What happened to licenses, releases and everything else',
  needs: { read: 'licensing:read' },
  screen: eventScreen,
  rows: eventRows,
  apis: [
    {
      surface: 'license-admin',
      path: '/events',
      item: 'event',
      view: EventView,
      toView: (event) => event,
      paged: 'cursor',
      without: ['get'],
    },
  ],
});
