import { adminResource } from '#platform/admin/index.ts';
import type { RecordedRequest } from './record.ts';
import { explain, recent } from './requests.ts';
import { requestScreen } from './screen.ts';
import { ExplainedRequestView, RequestView } from './view.ts';

/** Recorded calls of the license API, for staff (licensing 4.2, Logs; 6.6). */
export const requestResource = adminResource<RecordedRequest>({
  name: 'requests',
  labels: { one: 'request', many: 'recorded requests' },
  about: 'Recorded calls of the license API',
  needs: { read: 'licensing:read' },
  screen: requestScreen,
  rows: recent,
  get: explain,
  apis: [
    {
      surface: 'license-admin',
      path: '/request-log',
      itemsAt: '/requests',
      key: 'requestId',
      item: 'request',
      view: RequestView,
      toView: (request) => request,
      // The row is what `get` gives.
      details: { view: ExplainedRequestView, toView: (request) => request },
      summaries: { get: 'Show a recorded request and how its answer was decided' },
    },
  ],
});
