import { gather } from '#kernel/gather.ts';
import { requestObserver } from '#kernel/http/application.ts';
import { clientAddressReader } from '#kernel/http/client-address.ts';
import { createCredentialFailures } from '#kernel/http/credential-failures.ts';
import { createSharedFailures } from '#kernel/http/credential-failures-shared.ts';
import { limitersInForce } from '#kernel/http/limiters-in-force.ts';
import { createMetrics, type Metrics, metricsInForce } from '#kernel/http/metrics.ts';
import { postgresLimiter } from '#kernel/http/rate-limit-postgres.ts';
import { createRateLimiters, memoryLimiter } from '#kernel/http/rate-limiters.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import { servedCapabilities } from './capabilities.ts';
import type { Instance } from './instance.ts';

/** What this process is asked for at /metrics and by the admin API; null while that is off. */
export function metricsOf({ config, ctx, machineClock }: Instance): Metrics | null {
  const groups = gather(servedCapabilities(config)).metrics;
  const metrics = config.metrics.enabled ? createMetrics(groups, { ctx, clock: machineClock }) : null;
  ctx.memory.of(metricsInForce).metrics = metrics;
  return metrics;
}

/** What every route of this process shares: limits, client addresses, the log of requests. */
export function httpRuntime(instance: Instance, metrics: Metrics | null): HttpRuntime {
  const { config, ctx, clock } = instance;
  const digest = (credential: string) => ctx.keyring.digest('lookup', credential);
  const isShared = config.rateLimit.store === 'postgres';
  const make = isShared ? postgresLimiter(instance.database, config.serviceName) : memoryLimiter;
  const limiters = createRateLimiters(make, clock);
  const inForce = config.rateLimit.enabled ? limiters : null;
  Object.assign(ctx.memory.of(limitersInForce), { limiters: inForce, isShared });
  return {
    root: ctx,
    limiters,
    failures: isShared
      ? createSharedFailures(clock, digest, limiters)
      : createCredentialFailures(clock, digest),
    clientAddress: clientAddressReader(config.proxyTrust),
    state: {
      isHttps: config.baseUrl.startsWith('https:'),
      isDraining: false,
      isResting: false,
      stopping: new AbortController(),
    },
    observe: requestObserver(ctx, metrics),
  };
}
