import { change, defineEvents } from '#kernel/events.ts';
import { type Schedule, scheduleRecord } from './record.ts';

type Told = Pick<Schedule, 'report' | 'every' | 'isOn'>;

/** What happens to reports that are sent by email. */
export const scheduleEvents = defineEvents(
  'store',
  {
    'report_schedule.created': change<Told>(),
    'report_schedule.updated': change<Told>(),
    'report_schedule.deleted': change<Told>(),
    /** By staff, beside its times. */
    'report_schedule.sent': change<{ readonly report: string; readonly emails: number }>(),
  },
  { target: 'report-schedules', record: scheduleRecord },
);
