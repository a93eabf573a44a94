import { action, adminResource } from '#platform/admin/index.ts';
import { titleOf } from './mail.ts';
import { scheduleRows } from './queries.ts';
import type { Schedule } from './record.ts';
import * as schedules from './schedules.ts';
import { ScheduleCreate, ScheduleUpdate } from './schemas.ts';
import { scheduleScreen } from './screen.ts';
import { ScheduleView, scheduleViews } from './view.ts';

/** Reports that members of staff get by email. */
export const scheduleResource = adminResource<Schedule, typeof ScheduleCreate, typeof ScheduleUpdate>({
  name: 'report-schedules',
  labels: { one: 'report by email', many: 'reports by email' },
  about: 'Reports that staff get by email every day, week or month',
  needs: { read: 'reports:read', write: 'settings:write' },
  screen: scheduleScreen,
  rows: scheduleRows,
  create: { schema: ScheduleCreate, run: schedules.create },
  edit: { schema: ScheduleUpdate, hasVersion: false, run: schedules.change },
  remove: { level: 'moderate', summary: 'Stop sending a report', run: schedules.remove },
  actions: {
    send: action<Schedule>({
      label: 'Send now',
      summary: 'Send a report now, for the last day, week or month',
      needs: 'settings:write',
      level: 'mild',
      where: 'row',
      run: (ctx, id) => schedules.sendNow(ctx, id),
    }),
  },
  palette: { title: ({ report }) => titleOf(report) },
  apis: [
    {
      surface: 'store',
      path: '/report-schedules',
      item: 'reportSchedule',
      type: 'ReportSchedule',
      view: ScheduleView,
      toViews: scheduleViews,
      without: ['export', 'bulk'],
    },
  ],
});
