/** Who uses up seats, and who is refused for want of one (licensing 6.10), for staff. */
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { text, timestamp } from '#kernel/http/fields.ts';
import { listQuery } from '#platform/admin/index.ts';
import { seatDenials, seatUse } from './seat-reports.ts';
import { SeatDenialsPage, SeatUsePage } from './view.ts';

const DEFAULT_DAYS = 30;
const productField = () => text({ min: 1, max: 63 }).optional();

export const seatReportAdminEndpoints = [
  endpoint({
    method: 'get',
    path: '/api/v1/admin/seat-reports/use',
    summary: 'Seats in use of every floating license, the fullest first',
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
    path: '/api/v1/admin/seat-reports/denials',
    summary:
      'Licenses that refused machines because all was taken, most refusals first; of 30 days when not said',
    scope: 'licensing:read',
    limit: null,
    query: listQuery({ productId: productField(), since: timestamp().optional() }),
    replies: { 200: SeatDenialsPage },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { query: { productId, since, ...asked } }) => {
      const from = since ?? addSeconds(ctx.now(), -DEFAULT_DAYS * SECONDS_PER_DAY);
      return ok(await seatDenials(ctx, { ...asked, product: productId, since: from }));
    },
  }),
];
