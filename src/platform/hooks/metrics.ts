import type { Ctx } from '#kernel/context.ts';
import type { Subscription } from '#kernel/hooks/point.ts';
import { counters, gauges, type Sample } from '#kernel/metric.ts';
import { countRuns } from './queries.ts';

const LABELS = ['file', 'event'];

const each = ({ hooks }: Ctx, value: (one: Subscription) => number): Sample[] => {
  const sums = new Map<string, { labels: Record<string, string>; value: number }>();
  for (const { subscriptions } of hooks.loaded?.files ?? [])
    for (const one of subscriptions) {
      const { file, event } = one;
      const before = sums.get(`${file} ${event}`)?.value ?? 0;
      sums.set(`${file} ${event}`, { labels: { file, event }, value: before + value(one) });
    }
  return [...sums.values()];
};

/** How the hooks of the operator do in this process. */
export const hookMetrics = [
  counters(
    {
      appctl_hook_runs_total: { help: 'Hook calls, including those that failed', labels: LABELS },
      appctl_hook_errors_total: { help: 'Hook calls that failed or timed out', labels: LABELS },
      appctl_hook_refusals_total: { help: 'Hook calls that refused something', labels: LABELS },
      appctl_hook_seconds_total: { help: 'Seconds that hooks took', labels: LABELS },
    },
    (ctx) => ({
      appctl_hook_runs_total: each(ctx, ({ runs }) => runs),
      appctl_hook_errors_total: each(ctx, ({ errors }) => errors),
      appctl_hook_refusals_total: each(ctx, ({ refused }) => refused),
      appctl_hook_seconds_total: each(ctx, ({ totalMs }) => totalMs / 1000),
    }),
  ),
  gauges(
    { appctl_hook_runs_waiting: { help: 'Waiting calls of after-hooks, including retries' } },
    async (ctx) => ({
      appctl_hook_runs_waiting: [{ value: (await countRuns(ctx, ctx.now())).waiting }],
    }),
  ),
];
