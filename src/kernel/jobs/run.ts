/** How a run of a job may end. */
export const RUN_STATUSES = ['ok', 'failed'] as const;

/** One run of a job, as it is told and noted. */
export interface Run {
  name: string;
  startedAt: string;
  endedAt: string;
  ms: number;
  status: (typeof RUN_STATUSES)[number];
  result: Record<string, number> | null;
  error?: string;
  /** Who asked for it; null when it was due. */
  startedBy: string | null;
}
