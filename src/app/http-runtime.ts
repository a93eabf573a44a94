import { gather } from '#kernel/gather.ts';
import type { CommonLimits } from '#kernel/http/common-windows.ts';
import { type CredentialFailures, createCredentialFailures } from '#kernel/http/credential-failures.ts';
import { createSharedFailures } from '#kernel/http/credential-failures-shared.ts';
import { limitersInForce } from '#kernel/http/limiters-in-force.ts';
import { createMetrics, type Metrics, type MetricsOptions, metricsInForce } from '#kernel/http/metrics.ts';
import { postgresLimiter } from '#kernel/http/rate-limit-postgres.ts';
import { createRateLimiters, memoryLimiter } from '#kernel/http/rate-limiters.ts';
import { requestObserver } from '#kernel/http/request-log.ts';
import type { Answering, HttpRuntime } from '#kernel/http/runtime.ts';
import { servedCapabilities } from './capabilities.ts';
import type { Instance } from './instance.ts';

/** What this process is asked for at /metrics and by the admin API; null while that is off. */
export function metricsOf(
  { config, ctx, machineClock }: Instance,
  together: Pick<MetricsOptions, 'others' | 'first'>,
): Metrics | null {
  const groups = gather(servedCapabilities(config)).metrics;
  const options = { ctx, clock: machineClock, ...together };
  const metrics = config.metrics.enabled ? createMetrics(groups, options) : null;
  ctx.memory.of(metricsInForce).metrics = metrics;
  return metrics;
}

/** Who counts limits, where several processes serve together. */
export interface Counting {
  /** Windows of all processes; without, this one counts alone. */
  readonly common: CommonLimits | null;
  /** Counts unknown credentials for this process, which is not the first. */
  readonly failures: CredentialFailures | undefined;
  /** Told of an address that guesses. */
  onBlocked(address: string, seconds: number): void;
}

/**
 * What every route of this process shares: limits, client addresses, the log of requests.
 *
 * @param answering what its first answers were made with
 */
export function httpRuntime(
  instance: Instance,
  metrics: Metrics | null,
  counting: Counting,
  answering: Answering,
): HttpRuntime {
  const { config, ctx } = instance;
  const { limiters, failures, isShared } = limitsOf(instance, counting);
  const inForce = config.rateLimit.enabled ? limiters : null;
  Object.assign(ctx.memory.of(limitersInForce), { limiters: inForce, isShared });
  return { ...answering, limiters, failures, observe: requestObserver(ctx, metrics) };
}

/** In a store the processes need nothing between them. */
function limitsOf(
  { config, ctx, clock, database }: Instance,
  { common, failures: asked, onBlocked }: Counting,
): Pick<HttpRuntime, 'limiters' | 'failures'> & { isShared: boolean } {
  const digest = (credential: string) => ctx.keyring.digest('lookup', credential);
  if (config.rateLimit.store === 'postgres') {
    const limiters = createRateLimiters(postgresLimiter(database, config.serviceName), clock);
    return { limiters, failures: createSharedFailures(clock, digest, limiters), isShared: true };
  }
  const limiters = createRateLimiters(common?.limiter ?? memoryLimiter, clock, common ?? undefined);
  return { limiters, failures: asked ?? createCredentialFailures(clock, digest, onBlocked), isShared: false };
}
