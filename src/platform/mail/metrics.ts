import { gauges } from '#kernel/metric.ts';
import { countBlocks } from './blocks/queries.ts';
import { waitingEmails } from './queries.ts';

/** What waits to be sent. */
export const mailMetrics = gauges(
  {
    appctl_emails_waiting: { help: 'Emails not sent yet, including those between attempts' },
    appctl_emails_waiting_seconds: { help: 'Seconds that the oldest of them has waited' },
    appctl_emails_blocked_addresses: { help: 'Addresses that mail servers permanently refused' },
  },
  async (ctx) => {
    const { count, since } = await waitingEmails(ctx);
    const waited = since === null ? 0 : (Date.parse(ctx.now()) - Date.parse(since)) / 1000;
    const { all } = await countBlocks(ctx, ctx.now());
    return {
      appctl_emails_waiting: [{ value: count }],
      appctl_emails_waiting_seconds: [{ value: waited }],
      appctl_emails_blocked_addresses: [{ value: all }],
    };
  },
);
