import { storeScreen } from '#platform/admin/index.ts';
import type { Every } from './due.ts';
import { titleOf } from './mail.ts';
import { ScheduleView } from './view.ts';

const TIMES: Readonly<Record<Every, string>> = {
  day: 'every day',
  week: 'on Mondays',
  month: 'on the first of the month',
};
const title = ({ report }: { readonly report: string }): string => titleOf(report);
const when = ({ every, hour }: { readonly every: Every; readonly hour: number }): string =>
  `${TIMES[every]} at ${String(hour).padStart(2, '0')}:00`;
const state = {
  label: 'State',
  kind: 'status',
  value: ({ isOn }: { readonly isOn: boolean }) => (isOn ? 'on' : 'stopped'),
  tone: ({ isOn }: { readonly isOn: boolean }) => (isOn ? 'ok' : 'muted'),
} as const;
const sent = {
  nextAt: { label: 'Next sent', kind: 'date' },
  sentAt: { label: 'Last sent', kind: 'date' },
} as const;

/** Reports by email in the panel. */
export const scheduleScreen = storeScreen(ScheduleView, {
  path: '/store/report-schedules',
  area: 'store',
  nav: null,
  title: (one) => `${title(one)}, ${when(one)}`,
  columns: {
    report: { value: title },
    when: { value: when },
    recipients: { kind: 'tags' },
    state,
    ...sent,
  },
  facts: {
    report: { value: title },
    when: { value: when },
    recipients: { kind: 'tags' },
    compare: { label: 'Compared with' },
    state,
    ...sent,
    createdAt: { label: 'Created', kind: 'date' },
    updatedAt: { label: 'Changed', kind: 'date' },
    id: {},
  },
  labels: { isOn: 'On', compare: 'Compare with' },
  fields: {
    every: {
      help: 'day: every day, for the day before. week: on Mondays, for the week before. month: on the first, for the month before.',
    },
    hour: { help: "0 to 23, in the shop's time zone. Leave empty for 7." },
    recipients: {
      help: 'Email addresses of staff who may see reports.',
      example: 'ann@example.com',
    },
    compare: { help: 'previous: the same number of days before. year: the same days a year before.' },
    isOn: { help: 'Off: it is kept but not sent.' },
  },
  links: [{ label: 'Reports', href: '/store/reports', needs: 'reports:read' }],
  empty: {
    text: 'Send a report to staff every day, week or month.',
    docs: 'store-reports',
    cli: null,
  },
});
