import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { KINDS } from '../portability/index.ts';

const STATES = ['RUNNING', 'DONE', 'FAILED', 'CANCELLED'] as const;

const task = {
  id: z.string(),
  startedBy: z.string(),
  startedAt: instant(),
  finishedAt: instant().nullable(),
};

/** A file that is written for staff, and when it goes away. */
export const ExportView = later(() =>
  z
    .object({
      ...task,
      /** EXPIRED: this server has no file: it is gone, or on the server that wrote it. */
      state: z.enum([...STATES, 'EXPIRED']),
      entities: z.array(z.enum(KINDS)),
      format: z.enum(['csv', 'jsonl']),
      since: instant().nullable(),
      keys: z.enum(['included', 'omitted']),
      /** Slugs of the tenants that it holds. */
      tenants: z.array(z.string()),
      progress: z.object({ done: count(), total: count().nullable() }),
      /** Null until it is whole, and after it is gone. */
      file: z
        .object({
          name: z.string(),
          /** Bytes. */
          size: count(),
          /** Lower-case hex. */
          sha256: z.string(),
          /** Rows by entity. */
          rows: z.record(z.string(), count()),
          expiresAt: instant(),
        })
        .nullable(),
      error: z.string().nullable(),
    })
    .meta({ id: 'Export' }),
);
export type ExportView = z.output<typeof ExportView>;

/** What became of the rows of an import. */
export const ReportView = later(() =>
  z
    .object({
      rows: count(),
      created: count(),
      updated: count(),
      skipped: count(),
      failed: count(),
      /** At most 1,000. */
      warnings: z.array(z.object({ row: count(), message: z.string() })),
      /** At most 1,000; `failed` counts them all. */
      errors: z.array(z.object({ row: count(), code: z.string(), message: z.string() })),
    })
    .meta({ id: 'ImportReport' }),
);

/** An import of a file, and what became of its rows. */
export const ImportView = later(() =>
  z
    .object({
      ...task,
      state: z.enum(STATES),
      entity: z.enum(['licenses', 'customers']),
      source: z.string(),
      dryRun: z.boolean(),
      /** As the client called it. */
      file: z.string().nullable(),
      /** Rows. */
      progress: z.object({ done: count(), total: count().nullable() }),
      report: ReportView.nullable(),
      /** FILE_INVALID: nothing after `line` could be read; what was read before stays imported. */
      error: z
        .object({
          code: z.enum(['FILE_INVALID', 'CANCELLED', 'FAILED']),
          message: z.string(),
          line: count().nullable(),
        })
        .nullable(),
    })
    .meta({ id: 'Import' }),
);
export type ImportView = z.output<typeof ImportView>;
