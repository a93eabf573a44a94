import { gauges } from '#kernel/metric.ts';
import { countBlocks } from './blocks/queries.ts';
import { waitingEmails } from './queries.ts';

/** What waits to be sent. */
export const mailMetrics = gauges(
  {
    appctl_emails_waiting: { help: 'Emails that are not sent yet, those between two attempts included' },
    appctl_emails_waiting_seconds: { help: 'Seconds for which the oldest of them has waited' },
    appctl_emails_blocked_addresses: { help: 'Addresses that mail servers refused for good' },
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
