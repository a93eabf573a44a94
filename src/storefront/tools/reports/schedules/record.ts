import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { ids } from '#storefront/contract/ids.ts';
import { COMPARED } from '../daily/ranges.ts';
import { EVERY } from './due.ts';

const StaffIds: () => z.ZodType<readonly string[]> = () => z.array(z.string());

/** A report that members of staff get by email, again and again (decision 0093). */
export const scheduleRecord = record('report_schedules', {
  id: column.id(ids.reportSchedule),
  report: column.text(40, 1),
  every: column.choice(EVERY),
  /** In the time zone of the shop. */
  hour: column.integer(0, 23),
  /** Ids of members of staff. */
  recipients: column.json<readonly string[]>(StaffIds),
  compare: column.choice(COMPARED).nullable(),
  isOn: column.flag(),
  createdBy: column.text(30).nullable(),
  /** When it is sent next; null while it is stopped. */
  nextAt: column.time().nullable(),
  sentAt: column.time().nullable(),
  createdAt: column.time(),
  updatedAt: column.time(),
});
export type Schedule = ValuesOf<typeof scheduleRecord>;
