import { allows } from '#kernel/actor.ts';
import { capability, type Job } from '#kernel/capability.ts';
import { removerOf } from '#kernel/jobs/kept.ts';
import { reviewsWaiting } from './queries.ts';
import { paymentTryRecord } from './record.ts';
import { riskChecks, riskMetrics } from './watch.ts';

const purgeTries: Job = {
  name: 'purge-payment-tries',
  description: 'Removes payment attempt counts a week after they expired',
  everySeconds: 3600,
  waitsAfterClockStep: true,
  run: removerOf([paymentTryRecord]),
};

/** Whether somebody pays with cards that are not theirs. */
export const shopRisk = capability({
  name: 'shop-risk',
  records: [paymentTryRecord],
  checks: riskChecks,
  metrics: [riskMetrics],
  jobs: [purgeTries],
  waits: async (ctx) => {
    const { count } = allows(ctx.actor, 'orders:read') ? await reviewsWaiting(ctx) : { count: 0 };
    if (count === 0) return [];
    return [
      {
        words: `${count} ${count === 1 ? 'order' : 'orders'} to review`,
        href: '/store/orders?review=waiting',
      },
    ];
  },
});
