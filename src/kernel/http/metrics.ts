import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus figures of one process. */
export interface Metrics {
  request(labels: { method: string; route: string; status: number }, seconds: number): void;
  job(name: string, status: string, seconds: number): void;
  clockStep(): void;
  /** How long the longest due entry of the outbox has waited. */
  outboxLag(seconds: number): void;
  /** One attempt of a webhook delivery and what it led to. */
  delivery(labels: { service: string; result: string }, seconds: number): void;
  /** The text format and its content type. */
  text(): Promise<{ body: string; contentType: string }>;
}

/** Figures under the prefix `appctl_`; the process's own come with prom-client's defaults. */
export function createMetrics(): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'appctl_http_request_seconds',
    help: 'Time from the request head to the last byte of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const jobs = new Histogram({
    name: 'appctl_job_seconds',
    help: 'Time of one run of a job',
    labelNames: ['job', 'status'],
    buckets: [0.01, 0.1, 0.5, 1, 5, 10, 50],
    registers,
  });
  const steps = new Counter({
    name: 'appctl_clock_steps_total',
    help: 'Steps of the wall clock over 60 s',
    registers,
  });
  const lag = new Gauge({
    name: 'appctl_outbox_lag_seconds',
    help: 'How long the longest due entry of the outbox has waited',
    registers,
  });
  const deliveries = new Histogram({
    name: 'appctl_webhook_attempt_seconds',
    help: 'Time of one attempt to deliver an event, by what it led to',
    labelNames: ['service', 'result'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  new Gauge({ name: 'appctl_up', help: 'Always 1', registers }).set(1);
  return {
    request: ({ method, route, status }, seconds) => requests.observe({ method, route, status }, seconds),
    job: (job, status, seconds) => jobs.observe({ job, status }, seconds),
    clockStep: () => steps.inc(),
    outboxLag: (seconds) => lag.set(seconds),
    delivery: (labels, seconds) => deliveries.observe(labels, seconds),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
  };
}
