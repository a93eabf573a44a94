import { adminResource } from '../admin/index.ts';
import { alertRows } from './queries.ts';
import type { Alert } from './record.ts';
import { alertScreen } from './screen.ts';
import { AlertView, alertView } from './view.ts';

/** What operators were told of (admin.md 5.6): the server opens and ends them by itself. */
export const alertResource = adminResource<Alert>({
  name: 'alerts',
  labels: { one: 'alert', many: 'alerts' },
  about: 'What operators must know: a failed job, an old backup, a full disk',
  needs: { read: 'system:read' },
  screen: alertScreen,
  rows: alertRows,
  apis: [
    {
      surface: 'license-admin',
      path: '/alerts',
      item: 'alert',
      view: AlertView,
      toView: alertView,
      summaries: {
        list: 'List alerts, newest first: open ones, and those of the last 90 days that are over',
        get: 'Show one alert',
      },
    },
  ],
});
