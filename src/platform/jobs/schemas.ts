import { z } from 'zod';
import { flag, optional, text } from '#kernel/http/fields.ts';

export const RunBody = z.strictObject({
  /** Answers when the run has ended; true when left out. */
  wait: optional(flag()),
});

export const ScheduleBody = z.strictObject({
  /** Cron expression of five fields; null: the interval of the job. */
  schedule: z.nullable(text({ min: 1, max: 100 })),
});
