/** Who uses up seats, and who is refused for want of one (licensing 6.10), for staff. */
import { download, endpoint, ok } from '#kernel/http/endpoint.ts';
import { oneOf, queryInteger, text } from '#kernel/http/fields.ts';
import { listQuery } from '#platform/admin/index.ts';
import { csvFile } from '#platform/audit/index.ts';
import { EXHAUSTED, rangeFields } from '../statistics/index.ts';
import { allDenials, denials } from './denials.ts';
import { seatUse } from './seats.ts';
import { DENIAL_GROUPS, DenialsPage, DenialsView, SeatUsePage } from './view.ts';

const MOST_REFUSALS = 1_000_000_000;

const productField = () => text({ min: 1, max: 63 }).optional().describe('Id or slug of a product');
const codeField = () =>
  text({ max: 40, form: { pattern: /^[A-Z][A-Z_]*$/, says: `the code of a decision, like ${EXHAUSTED}` } });

export const seatReportAdminEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/stats/seats',
    summary: 'List the seats in use of every floating license, fullest first',
    scope: 'licensing:read',
    limit: null,
    query: listQuery({ productId: productField() }),
    replies: { 200: SeatUsePage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { query: { productId, ...asked } }) =>
      ok(await seatUse(ctx, { ...asked, product: productId })),
  }),
  endpoint({
    method: 'get',
    path: '/api/v1/admin/stats/denials',
    summary: 'List refusals, most first; without a code, those for lack of a seat or slot',
    description:
      'By license, customer or product; the last 30 days by default. Refusals are kept for a month. ' +
      'New ones are written every ten seconds. `format=csv` returns all of them as a file and ignores page and limit.',
    scope: 'licensing:read',
    limit: null,
    query: listQuery({
      ...rangeFields,
      code: codeField().optional(),
      productId: productField(),
      minCount: queryInteger({ min: 1, max: MOST_REFUSALS, fallback: 1 }),
      groupBy: oneOf(DENIAL_GROUPS).default('license'),
      format: oneOf(['json', 'csv']).default('json'),
    }),
    replies: { 200: DenialsPage },
    file: { type: 'text/csv' },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    async handle(ctx, { query: { productId, format, page, limit, ...asked } }) {
      const given = { ...asked, product: productId };
      if (format === 'json') return ok(await denials(ctx, { ...given, page, limit }));
      const about = { what: 'denials', filter: { ...asked, productId } };
      const columns = Object.keys(DenialsView.shape);
      return download(csvFile(ctx, about, columns, await allDenials(ctx, given)));
    },
  }),
];
