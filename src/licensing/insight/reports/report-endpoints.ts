import { z } from 'zod';
import { download, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { csvFile } from '#platform/audit/index.ts';
import { rangeFields } from '../statistics/index.ts';
import { ReportAnswer, reportRows } from './report-views.ts';
import { report } from './reports.ts';

const MEASURES = [
  '`renewal-cohorts`: how many of the license terms that ended in each month were renewed. Revoked licenses do not count.',
  '`churn`: licenses at the start of each month, and how many of them expired without a later renewal or were revoked that month.',
  '`version-adoption`: activated machines that were seen in the range, by the version of the application that they reported.',
  '`denied-seats`: the thousand licenses with the most machines refused for lack of a seat or slot, as in `GET /stats/denials`.',
  '`webhook-reliability`: deliveries in the range by webhook, and how many arrived, for as long as deliveries are kept.',
];

/** Reports by name (admin.md 5.5). */
export const reportAdminEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/reports/{name}',
    summary: 'Show a report: renewals, churn, versions in use, refused seats or webhook reliability',
    description: `${MEASURES.join('\n\n')}\n\nThe first two cover a year in whole months when no range is given, the others 30 days. Days are in UTC. Licenses in the trash and canary keys count nowhere. \`format=csv\` answers a file.`,
    scope: 'licensing:read',
    limit: null,
    params: z.strictObject({ name: text({ min: 1, max: 63 }) }),
    query: later(() =>
      z.strictObject({
        ...rangeFields,
        productId: text({ min: 1, max: 63 }).optional().describe('Id or slug of a product'),
        format: oneOf(['json', 'csv']).default('json'),
      }),
    ),
    replies: { 200: ReportAnswer },
    file: { type: 'text/csv' },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { params, query: { productId, format, ...asked } }) {
      const answer = await report(ctx, params.name, { ...asked, product: productId });
      if (format === 'json') return ok(answer);
      const { name, rows, from, to } = answer;
      const columns = Object.keys(reportRows[name].shape);
      return download(csvFile(ctx, { what: name, filter: { from, to, productId } }, columns, pageOf(rows)));
    },
  }),
];

async function* pageOf(rows: readonly object[]): AsyncGenerator<readonly object[]> {
  yield rows;
}
