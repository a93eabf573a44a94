import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Ctx } from '../context.ts';
import type { MetricGroup } from '../metric.ts';
import { memoryKey } from '../process-memory.ts';
import { createMetricReader } from './read-metrics.ts';
import { type OwnFigures, sumOf, toBeAdded } from './summed-metrics.ts';

/** An answer as it is counted. */
export interface CountedAnswer {
  method: string;
  /** Declared path. */
  route: string;
  status: number;
  /** Of an error; null for an answer that is none. */
  code: string | null;
}

/** Prometheus figures of one process. */
export interface Metrics {
  request(answer: CountedAnswer, seconds: number): void;
  job(name: string, status: string, seconds: number): void;
  clockStep(): void;
  /** One attempt of a webhook delivery and what it led to. */
  delivery(labels: { service: string; result: string }, seconds: number): void;
  /** What was counted in this process alone, as `MetricsOptions.others` gives it. */
  own(): Promise<OwnFigures>;
  /** The text format and its content type. */
  text(): Promise<MetricsText>;
}

export interface MetricsText {
  readonly body: string;
  readonly contentType: string;
}

export interface MetricsOptions {
  readonly ctx: Ctx;
  readonly clock: Clock;
  /** Figures of the processes that serve together with this one. */
  readonly others?: () => Promise<readonly OwnFigures[]>;
  /** Gives the text in place of this process, which is not the first of those that serve together. */
  readonly first?: () => Promise<MetricsText>;
}

/** Those of this process, for whoever answers with them; null while they are off. */
export const metricsInForce = memoryKey<{ metrics: Metrics | null }>('metrics', () => ({ metrics: null }));

/**
 * Figures under the prefix `appctl_`; the process's own come with prom-client's defaults.
 *
 * @param groups that capabilities declare, read when somebody asks
 */
export function createMetrics(
  groups: readonly MetricGroup[],
  { ctx, clock, others, first }: MetricsOptions,
): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const { requests, errors, jobs, steps, deliveries, failures } = metersOf(registers);
  const up = { name: 'appctl_up', help: 'Always 1 while the server runs', aggregator: 'first' } as const;
  new Gauge({ ...up, registers }).set(1);
  // What is in the database is the same for all processes: the first one reads it.
  const read = first ? groups.filter(({ type }) => type === 'counter') : groups;
  const reader = createMetricReader(read, {
    ctx,
    clock,
    onFailure: (error) => {
      failures.inc();
      ctx.log.warn({ err: error }, 'metrics could not be read');
    },
  });
  const all = async () => Registry.merge([registry, await reader.read()]);
  const own = async () => toBeAdded(await (await all()).getMetricsAsJSON());
  return {
    request: ({ method, route, status, code }, seconds) => {
      requests.observe({ method, route, status }, seconds);
      if (code !== null) errors.inc({ method, route, code });
    },
    job: (job, status, seconds) => jobs.observe({ job, status }, seconds),
    clockStep: () => steps.inc(),
    delivery: (labels, seconds) => deliveries.observe(labels, seconds),
    own,
    text: first ?? (async () => textOf(others ? await together(own, others) : await all())),
  };
}

async function together(
  own: Metrics['own'],
  others: NonNullable<MetricsOptions['others']>,
): Promise<Registry> {
  const [here, there] = await Promise.all([own(), others()]);
  return sumOf([here, ...there]);
}

const textOf = async (registry: Registry): Promise<MetricsText> => ({
  body: await registry.metrics(),
  contentType: registry.contentType,
});

/** What is counted as it happens. */
function metersOf(registers: Registry[]) {
  const requests = new Histogram({
    name: 'appctl_http_request_seconds',
    help: 'Seconds from the head of a request to the last byte of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const jobs = new Histogram({
    name: 'appctl_job_seconds',
    help: 'Seconds that a run of a job took, by result',
    labelNames: ['job', 'status'],
    buckets: [0.01, 0.1, 0.5, 1, 5, 10, 50],
    registers,
  });
  const steps = new Counter({
    name: 'appctl_clock_steps_total',
    help: 'Times the system clock jumped by more than a minute',
    registers,
  });
  const errors = new Counter({
    name: 'appctl_http_errors_total',
    help: 'Answers with an error, by endpoint and error code',
    labelNames: ['method', 'route', 'code'],
    registers,
  });
  const failures = new Counter({
    name: 'appctl_metric_failures_total',
    help: 'Failed attempts to read metrics from the database',
    registers,
  });
  const deliveries = new Histogram({
    name: 'appctl_webhook_attempt_seconds',
    help: 'Seconds that an attempt to deliver an event to a webhook took, by result',
    labelNames: ['service', 'result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  return { requests, errors, jobs, steps, deliveries, failures };
}
