import { gauges } from '#kernel/metric.ts';
import { inboundSpool } from '../spool.ts';
import { countWaiting } from './queries.ts';

/** Purchases that are not licenses yet. */
export const inboxMetrics = gauges(
  {
    appctl_inbound_waiting: {
      help: 'Events of payment processors waiting to be processed',
    },
  },
  async (ctx) => ({
    appctl_inbound_waiting: [{ value: await countWaiting(ctx) }],
  }),
);

/** A group of its own: it is told when the database cannot be asked, which is when it fills. */
export const spoolMetrics = gauges(
  {
    appctl_spool_depth: {
      help: 'Events of payment processors waiting on disk for the database',
    },
  },
  async (ctx) => ({ appctl_spool_depth: [{ value: inboundSpool.depth(ctx) }] }),
);
