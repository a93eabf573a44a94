import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import type { Task } from '#kernel/jobs/task.ts';
import { later } from '#kernel/sharing.ts';

/** How far a task is, beside what it works on. */
export const TaskProgress = later(() =>
  z.object({
    id: z.string(),
    status: z.enum(['RUNNING', 'DONE', 'FAILED', 'CANCELLED']),
    done: count(),
    total: count().nullable(),
    error: z.string().nullable(),
  }),
);

/** @returns null when there is no task */
export const progressOf = (task: Task | null | undefined): z.output<typeof TaskProgress> | null =>
  task ? { id: task.id, status: task.status, done: task.done, total: task.total, error: task.error } : null;
