import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { type FileReport, hookReport } from './report.ts';

const figures = {
  runs: count().describe('Since this server started, like all call figures'),
  errors: count(),
  refused: count().describe('Refusals with a HookError'),
  avg_ms: z.number().nullable().describe('null before the first call'),
  last_error: z.string().nullable(),
  last_error_at: instant().nullable(),
};

const HookFileView = later(() =>
  z
    .object({
      file: z.string(),
      subscriptions: z.array(z.object({ event: z.string().describe('`before:order.create`'), ...figures })),
      ...figures,
      stray_errors: count().describe('Failures outside of calls, such as in a timer'),
      waiting: count().describe('Waiting calls after changes on all servers, including retries'),
      failed: count().describe('Failed calls after changes in the last 30 days, on all servers'),
    })
    .meta({ id: 'StoreHookFile' }),
);

const shownFigures = (
  one: Pick<FileReport, 'runs' | 'errors' | 'refused' | 'avgMs' | 'lastError' | 'lastErrorAt'>,
) => ({
  runs: one.runs,
  errors: one.errors,
  refused: one.refused,
  avg_ms: one.avgMs,
  last_error: one.lastError,
  last_error_at: one.lastErrorAt,
});

const hookFileView = (one: FileReport): z.output<typeof HookFileView> => ({
  file: one.file,
  subscriptions: one.subscriptions.map((sub) => ({ event: sub.event, ...shownFigures(sub) })),
  ...shownFigures(one),
  stray_errors: one.strayErrors,
  waiting: one.waiting,
  failed: one.failed,
});

/** Files of the operator that run before and after changes (storefront-api.md, AM). */
export const hookEndpoint: Endpoint = endpoint({
  method: 'get',
  path: '/api/store/hooks',
  summary: 'List the loaded hook files of this server and the results of their calls',
  scope: 'settings:read',
  limit: null,
  replies: { 200: z.object({ data: z.array(HookFileView) }) },
  errors: [],
  handle: async (ctx) => ok({ data: (await hookReport(ctx)).map(hookFileView) }),
});
