import { gauges } from '#kernel/metric.ts';
import { countLicenses, countSeatsInUse } from './queries.ts';

/** What is sold and what of it is in use, of all tenants. */
export const totalMetrics = gauges(
  {
    appctl_licenses: {
      help: 'Licenses by status, without trashed licenses and canary keys',
      labels: ['status'],
    },
    appctl_seats_in_use: {
      help: 'Seats in use: by activated machines, and by floating seats that are checked out',
      labels: ['kind'],
    },
  },
  async (ctx) => {
    const statuses = await countLicenses(ctx);
    const { machines, leases } = await countSeatsInUse(ctx);
    return {
      appctl_licenses: Object.entries(statuses).map(([status, value]) => ({
        labels: { status },
        value,
      })),
      appctl_seats_in_use: [
        { labels: { kind: 'machine' }, value: machines },
        { labels: { kind: 'floating' }, value: leases },
      ],
    };
  },
);
