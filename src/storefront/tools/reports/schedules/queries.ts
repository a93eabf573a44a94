import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { REPORT_NAMES, type ReportName } from '../kinds/kinds.ts';
import { type Schedule, scheduleRecord } from './record.ts';

const TABLE = scheduleRecord.table;

export const scheduleRows = selection<Schedule>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: scheduleRecord.read,
  filters: {
    report: filter.choice(REPORT_NAMES as readonly [ReportName, ...ReportName[]], {
      label: 'Report',
      column: 'report',
    }),
  },
  sorts: { next: 'next_at', created: 'created_at' },
  initial: '-created',
});

/** Schedules whose time has come, the one that waits longest first. */
export async function dueSchedules(ctx: Ctx): Promise<Schedule[]> {
  const rows: object[] = await ctx.db
    .knex(TABLE)
    .where('next_at', '<=', ctx.now())
    .orderBy(['next_at', 'id']);
  return rows.map(scheduleRecord.read);
}
