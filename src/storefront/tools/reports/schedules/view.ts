import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { COMPARED } from '../daily/ranges.ts';
import { REPORT_NAMES } from '../kinds/kinds.ts';
import { EVERY } from './due.ts';
import { reportReaders } from './mail.ts';
import type { Schedule } from './record.ts';

/** A report that is sent by email, as staff see it. */
export const ScheduleView = later(() =>
  z
    .object({
      id: z.string(),
      report: z.enum(REPORT_NAMES as readonly [string, ...string[]]),
      every: z.enum(EVERY),
      hour: z.int().describe('In the time zone of the shop'),
      recipients: z.array(z.string()).describe('Only addresses that may see reports now; others get nothing'),
      compare: z.enum(COMPARED).nullable(),
      is_on: z.boolean(),
      next_at: instant().nullable(),
      sent_at: instant().nullable().describe('When it was sent last'),
      created_at: instant(),
      updated_at: instant(),
    })
    .meta({ id: 'ReportSchedule' }),
);

/** Schedules as staff see them: one question for the addresses of all. */
export async function scheduleViews(
  schedules: readonly Schedule[],
  ctx: Ctx,
): Promise<z.output<typeof ScheduleView>[]> {
  const known = new Map((await reportReaders(ctx)).map(({ id, address }) => [id, address]));
  return schedules.map((one) => ({
    id: one.id,
    report: one.report,
    every: one.every,
    hour: one.hour,
    recipients: one.recipients.flatMap((id) => known.get(id) ?? []),
    compare: one.compare,
    is_on: one.isOn,
    next_at: one.nextAt,
    sent_at: one.sentAt,
    created_at: one.createdAt,
    updated_at: one.updatedAt,
  }));
}
