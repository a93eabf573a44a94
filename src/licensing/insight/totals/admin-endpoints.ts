import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { download, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { csvFile } from '#platform/audit/index.ts';
import { rangeFields } from '../statistics/index.ts';
import { durations } from './durations.ts';
import { overview } from './overview.ts';
import { DurationOfDay, DurationsView, OverviewView } from './view.ts';

const format = oneOf(['json', 'csv']).default('json');

/** What a vendor opens the day with, for staff (licensing 4.2, Metrics). */
export const overviewAdminEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/stats/overview',
    summary: 'Show how many licenses, machines and seats there are, and their requests per day',
    description:
      'Figures of the tenant, for the products that the caller may see. `from` and `to` choose the range of `days`: the last 30 ' +
      "by default, at most two years. Today's counters can be up to ten seconds old. Days are in UTC. `format=csv` returns `days` as a file.",
    scope: 'licensing:read',
    limit: null,
    query: z.strictObject({ ...rangeFields, format }),
    replies: { 200: OverviewView },
    file: { type: 'text/csv' },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { format, ...asked } }) {
      const found = await overview(ctx, asked);
      if (format === 'json') return ok(found);
      return download(fileOf(ctx, 'requests-by-day', found, ['day', 'validations', 'denials', 'heartbeats']));
    },
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/admin/stats/durations',
    summary: 'Show the number and duration of license API calls per day',
    description:
      'The 50th, 95th and 99th percentile of the durations per day, from the head of a request to the last byte of ' +
      'its answer. Durations are counted in steps: 5000 means five seconds or more. The last 30 days by default. ' +
      'New figures are written every ten seconds. Days are in UTC. `format=csv` returns a file.',
    scope: 'licensing:read',
    limit: null,
    query: z.strictObject({ ...rangeFields, format }),
    replies: { 200: DurationsView },
    file: { type: 'text/csv' },
    errors: ['VALIDATION_ERROR'],
    async handle(ctx, { query: { format, ...asked } }) {
      const found = await durations(ctx, asked);
      if (format === 'json') return ok(found);
      return download(fileOf(ctx, 'durations-by-day', found, Object.keys(DurationOfDay.shape)));
    },
  }),
];

/** The days of an answer as a file. */
const fileOf = (
  ctx: Ctx,
  what: string,
  { from, to, days }: { readonly from: string; readonly to: string; readonly days: readonly object[] },
  columns: readonly string[],
) => csvFile(ctx, { what, filter: { from, to } }, columns, pageOf(days));

async function* pageOf(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  yield rows;
}
