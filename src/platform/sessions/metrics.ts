import { gauges } from '#kernel/metric.ts';
import { endsAt } from './lifetime.ts';
import { countSignedIn } from './repository.ts';

export const sessionMetrics = gauges(
  {
    appctl_staff_sessions: {
      help: 'Browser sessions of signed-in staff that have not ended',
    },
  },
  async (ctx) => ({
    appctl_staff_sessions: [{ value: await countSignedIn(ctx, endsAt(ctx)) }],
  }),
);
