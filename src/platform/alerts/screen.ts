import { screen } from '../admin/index.ts';
import { AlertView } from './view.ts';

/** Alerts in the panel (admin.md 5.6). */
export const alertScreen = screen(AlertView, {
  path: '/admin/system/alerts',
  words: 'problems warnings notices disk certificate',
  area: 'system',
  order: 12,
  title: ({ title }) => title,
  columns: {
    title: {},
    state: {},
    message: {},
    begunAt: { label: 'Since', sort: 'begun' },
    endedAt: { label: 'Over', sort: 'ended' },
    server: { hidden: true },
  },
  labels: { hint: 'What to do', begunAt: 'Since', endedAt: 'Over' },
  empty: {
    text: 'The server looks every minute for what you must know. Nothing was found in the last 90 days.',
    docs: 'get-alerts',
    cli: 'appctl alerts test',
  },
});
