import type { Ctx } from './context.ts';
import type { Switched } from './settings-reader.ts';

/** One value of a metric, with what tells it from the other values of the same metric. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What Prometheus is told of a metric beside its name. */
export interface MetricSpec {
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Metrics that come of one reading. They are read when somebody asks for them, and never in the way of a request. */
export interface MetricGroup extends Switched {
  readonly type: 'gauge' | 'counter';
  readonly metrics: Readonly<Record<string, MetricSpec>>;
  read(ctx: Ctx): Promise<Readonly<Record<string, readonly Sample[]>>>;
}

/**
 * Declares what is asked of the database. A reading is used for ten seconds and longer if it took long, so that `read`
 * may count along an index, but must not walk through a log.
 *
 * @param metrics by name, `appctl_…` with the unit at its end
 * @param read gives the values of each of them; it runs in no transaction
 */
export const gauges = <N extends string>(
  metrics: Readonly<Record<N, MetricSpec>>,
  read: (ctx: Ctx) => Promise<Readonly<Record<N, readonly Sample[]>>>,
): MetricGroup => ({ type: 'gauge', metrics, read });

/**
 * Declares what this process counts in its memory, from its start on.
 *
 * @param metrics by name, `appctl_…_total`
 * @param read takes the counts out of `ctx.memory`
 */
export const counters = <N extends string>(
  metrics: Readonly<Record<N, MetricSpec>>,
  read: (ctx: Ctx) => Readonly<Record<N, readonly Sample[]>>,
): MetricGroup => ({
  type: 'counter',
  metrics,
  read: async (ctx) => read(ctx),
});
