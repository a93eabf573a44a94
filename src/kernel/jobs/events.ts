import { change, defineEvents } from '../events.ts';

/** What people do with jobs and tasks. */
export const jobEvents = defineEvents(
  'platform',
  {
    /** Somebody asked for a run; those that are due by themselves are in the history of the job. */
    JOB_STARTED: change<Record<string, never>>(),
    JOB_RESCHEDULED: change<{ schedule: string | null }>(),
    JOB_PAUSED: change<Record<string, never>>(),
    JOB_RESUMED: change<Record<string, never>>(),
    TASK_CANCELLED: change<{ kind: string }>(),
  },
  { target: 'jobs' },
);
