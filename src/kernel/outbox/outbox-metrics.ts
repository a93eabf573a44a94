import { gauges } from '../metric.ts';
import { countUndone, listDueTargets } from './claims/repository.ts';
import { momentOf } from './lease.ts';

/** What waits to be sent. Asked of the database: a process that sends nothing knows it too. */
export const outboxMetrics = gauges(
  {
    appctl_outbox_depth: {
      help: 'Deliveries in the outbox that are not done, retries included',
    },
    appctl_outbox_lag_seconds: {
      help: 'Seconds that the oldest due delivery of the outbox has waited',
    },
  },
  async (ctx) => {
    const moment = momentOf(ctx.now());
    const due = await listDueTargets(ctx, moment);
    const since = due.reduce((least, one) => (one.since < least ? one.since : least), moment.now);
    return {
      appctl_outbox_depth: [{ value: await countUndone(ctx) }],
      appctl_outbox_lag_seconds: [{ value: (Date.parse(moment.now) - Date.parse(since)) / 1000 }],
    };
  },
);
