import { gauges } from '#kernel/metric.ts';
import { endsAt } from './lifetime.ts';
import { countSignedIn } from './repository.ts';

export const sessionMetrics = gauges(
  {
    appctl_staff_sessions: {
      help: 'Active browser sessions of signed-in staff',
    },
  },
  async (ctx) => ({
    appctl_staff_sessions: [{ value: await countSignedIn(ctx, endsAt(ctx)) }],
  }),
);
