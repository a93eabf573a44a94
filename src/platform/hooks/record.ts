import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { tenantColumn } from '../tenants/index.ts';

export const ids = defineIds({ hookRun: 'hkr' });

/** Days for which runs that were given up are listed. */
const KEPT_DAYS = 30;
const LONG = 10_000;

const ActorText = () =>
  z.object({ kind: z.string(), id: z.string().nullable(), label: z.string().nullable() });

/** What hooks are called for once it was committed. A run that went well leaves no row. */
export const hookRunRecord = record(
  'hook_runs',
  {
    id: column.id(ids.hookRun),
    tenantId: tenantColumn(),
    /** `before`: what was put off until the before-hooks of its point have run. */
    phase: column.choice(['before', 'after']),
    point: column.text(60, 1),
    /** Name of the file that runs; empty for all files of the point. */
    file: column.text(255),
    /** Id of what it happened to. */
    subject: column.text(255),
    actor: column.json(ActorText),
    eventId: column.text(30, 30).nullable(),
    /** JSON, frozen when it happened; it may name a customer. Gone when the run has ended. */
    payload: column
      .text(Number.MAX_SAFE_INTEGER)
      .nullable()
      .personal(() => null),
    /** `skipped`: the file does not subscribe any more. */
    state: column.choice(['pending', 'failed', 'skipped']),
    /** Attempts that have ended. */
    attempts: column.integer(0),
    lastError: column.text(LONG).nullable(),
    createdAt: column.time(),
    endedAt: column.time().nullable(),
  },
  {
    kept: [{ as: 'hookRuns', by: 'endedAt', days: KEPT_DAYS }],
    whose: { ids: { subject: '*' }, goes: true },
  },
);
export type HookRun = ValuesOf<typeof hookRunRecord>;
