import { type Check, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { gauges } from '#kernel/metric.ts';
import { refusedSince, reviewsWaiting } from './queries.ts';

/** Authorized money is given back by itself after about a week. */
const LATE_DAYS = 3;

export const riskChecks: readonly Check[] = [
  {
    id: 'store.reviews',
    title: 'orders to review',
    run: onSchema(async (ctx) => {
      const { count, oldest } = await reviewsWaiting(ctx);
      const late = addSeconds(ctx.now(), -LATE_DAYS * SECONDS_PER_DAY);
      if (oldest === null || oldest > late)
        return ok(count === 0 ? 'no orders are waiting for review' : `${count} to review, none for long`);
      return warn(
        `${count} ${count === 1 ? 'order waits' : 'orders wait'} for a review, the oldest for more than ${LATE_DAYS} days: payment authorizations expire after about a week`,
        `approve or reject them on ${ctx.baseUrl}/store/orders?review=waiting`,
      );
    }),
  },
  {
    id: 'store.card-testing',
    title: 'card testing',
    run: onSchema(async (ctx) => {
      const { tries, of } = await refusedSince(ctx, addSeconds(ctx.now(), -SECONDS_PER_DAY));
      if (tries === 0) return ok('no payment attempts were refused as too many in the last day');
      return warn(
        `${tries} ${tries === 1 ? 'try' : 'tries'} to pay by ${of} ${of === 1 ? 'address' : 'addresses'} refused as too many in the last day`,
        `look at the declined payments of ${ctx.baseUrl}/store/orders?placed=false; if shoppers were refused, raise payment_tries_email or payment_tries_ip`,
      );
    }),
  },
];

export const riskMetrics = gauges(
  {
    appctl_store_reviews_waiting: { help: 'Orders waiting for review by staff' },
    appctl_store_tries_refused: { help: 'Payment attempts refused as too many in the last day' },
  },
  async (ctx) => ({
    appctl_store_reviews_waiting: [{ value: (await reviewsWaiting(ctx)).count }],
    appctl_store_tries_refused: [
      { value: (await refusedSince(ctx, addSeconds(ctx.now(), -SECONDS_PER_DAY))).tries },
    ],
  }),
);
