import { z } from 'zod';
import { Instant } from '../shapes.ts';

/** `Job` of cli.md section 2. */
const Job = z.strictObject({
  name: z.string(),
  schedule: z.string(),
  enabled: z.boolean(),
  lastRunAt: Instant.nullable(),
  lastStatus: z.enum(['ok', 'failed']).nullable(),
  lastMs: z.int().nullable(),
  nextRunAt: Instant,
  running: z.boolean(),
});

export const JobsScheduleOutput = Job;

const Pagination = z.strictObject({
  page: z.int(),
  limit: z.int(),
  total: z.int(),
  totalPages: z.int(),
});

export const JobsListOutput = z.strictObject({ items: z.array(Job), pagination: Pagination });

/** One-off work, such as an import. */
const Task = z.strictObject({
  id: z.string(),
  kind: z.string(),
  status: z.enum(['RUNNING', 'DONE', 'FAILED', 'CANCELLED']),
  startedBy: z.string(),
  params: z.record(z.string(), z.unknown()),
  done: z.int(),
  total: z.int().nullable(),
  cancelAsked: z.boolean(),
  report: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  startedAt: Instant,
  finishedAt: Instant.nullable(),
});

export const TaskOutput = Task;

export const TasksOutput = z.strictObject({ items: z.array(Task), pagination: Pagination });

/** `Run` of cli.md section 2. */
const Run = z.strictObject({
  name: z.string(),
  startedAt: Instant,
  endedAt: Instant,
  ms: z.int(),
  status: z.enum(['ok', 'failed']),
  result: z.record(z.string(), z.number()).nullable(),
  error: z.string().optional(),
});

const Started = z.strictObject({ name: z.string(), started: z.literal(true) });

export const JobsRunOutput = z.union([Run, Started]);
