import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { buildInfo } from '#kernel/build-info.ts';
import { isBeforeEpoch } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { parseListen } from '#kernel/config/listen.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import { type Gathered, gather } from '#kernel/gather.ts';
import { createApplication, requestObserver } from '#kernel/http/application.ts';
import { clientAddressReader } from '#kernel/http/client-address.ts';
import { createCredentialFailures } from '#kernel/http/credential-failures.ts';
import { createSharedFailures } from '#kernel/http/credential-failures-shared.ts';
import { limitersInForce } from '#kernel/http/limiters-in-force.ts';
import { createMetrics, type Metrics, metricsInForce } from '#kernel/http/metrics.ts';
import { postgresLimiter } from '#kernel/http/rate-limit-postgres.ts';
import { createRateLimiters, memoryLimiter } from '#kernel/http/rate-limiters.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import { listen, type RunningServer } from '#kernel/http/server.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { removeDeadSocket } from '#kernel/http/unix-socket.ts';
import type { Scheduler } from '#kernel/jobs/scheduler.ts';
import { beginStopping } from '#kernel/jobs/stopping.ts';
import { stopTasks } from '#kernel/jobs/task.ts';
import { createOutboxWorker, type OutboxWorker } from '#kernel/outbox/worker.ts';
import { licensingErrors, licensingLimits, licensingSurface } from '#licensing/index.ts';
import { hookHandler } from '#platform/hooks/index.ts';
import { keepServedAt } from '#platform/installation/index.ts';
import { mailHandler } from '#platform/mail/index.ts';
import { adminSurface } from '#platform/staff-api/index.ts';
import { staffMailHandler } from '#platform/staff-mail/index.ts';
import { webhookHandler } from '#platform/webhooks/index.ts';
import { storeSurface } from '#storefront/index.ts';
import { storeHookThens } from '#storefront/tools/hooks/index.ts';
import { addressFailure } from './address-failure.ts';
import { startBackground } from './background.ts';
import { servedCapabilities } from './capabilities.ts';
import { type Instance, webhookServices } from './instance.ts';
import { forgetLimitsFile, recallLimits, rememberLimits } from './limit-memory.ts';
import { createServerReport, type ServerStatus } from './server-report.ts';
import { siteOf } from './site.ts';
import { withDocument } from './store-reference.ts';
import type { ConfigSources } from './system-checks.ts';

/** A server that listens. */
export interface Running {
  /** As each server listens: `http://0.0.0.0:8480`, `unix:/run/appctl.sock`. */
  readonly urls: readonly string[];
  /** The first of them as a browser on this machine opens it. */
  readonly localUrl: string;
  readonly baseUrl: string;
  readonly scheduler: Scheduler;
  /** What it says of itself. */
  status(): ServerStatus;
  /** Stops accepting, finishes open requests within the configured grace, ends jobs, closes the database. */
  stop(): Promise<void>;
}

/** All surfaces of the program; contract tests and the OpenAPI documents read them too. */
export const surfacesOf = (config: Pick<Config, 'features' | 'mode' | 'rateLimit'>): Surface[] => {
  const switchedOff = !config.rateLimit.enabled;
  const served = gather(servedCapabilities(config));
  return [
    licensingSurface(served, switchedOff),
    adminSurface(served, { errors: licensingErrors.table, limits: licensingLimits }, switchedOff),
    ...(config.features.store ? [withDocument(storeSurface(served, switchedOff))] : []),
  ];
};

/** PEM bytes of certificate and key; only root may be able to read them, so they are read first. */
export type TlsFiles = { cert: Buffer; key: Buffer };

/** @throws ConfigError when one of them cannot be read, or when they do not belong together */
export function readTlsFiles({ tls }: Config): TlsFiles | undefined {
  if (tls === undefined) return undefined;
  try {
    const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
    createSecureContext(files);
    return files;
  } catch (error) {
    const message = `${tls.certFile} and ${tls.keyFile}: ${(error as Error).message}`;
    const hint = 'set a certificate and its private key, both in PEM format and readable by this user';
    throw new ConfigError([{ key: 'tls.cert', message, hint }]);
  }
}

/**
 * Serves an opened installation on all configured addresses.
 *
 * @throws AppError CONFLICT when an address is in use; ConfigError when this machine or this user cannot have it
 */
export async function serve(instance: Instance, sources: ConfigSources, tls?: TlsFiles): Promise<Running> {
  const { config, ctx } = instance;
  const metrics = metricsOf(instance);
  const http = httpRuntime(instance, metrics);
  const report = createServerReport();
  const surfaces = surfacesOf(config);
  const answer = createApplication({
    config,
    http,
    surfaces,
    site: siteOf(instance, http, { server: report.status, sources, surfaces }),
    metrics,
    version: buildInfo().version,
    ping: () => instance.database.ping(),
  });
  if (isBeforeEpoch(Date.parse(ctx.now())))
    ctx.log.error({ now: ctx.now() }, 'the clock is before 1970: nothing can be created until it is set');
  recallLimits(config, http, ctx.log);
  for (const { start } of servedCapabilities(config)) await start?.(ctx);
  const servers = await listenEverywhere(answer, http, config, tls);
  forgetLimitsFile(config);
  const urls = servers.map((server) => server.url);
  const localUrl = reachable(urls[0] ?? config.baseUrl);
  report.listens(localUrl, urls);
  const baseUrl = config.baseUrlIsSet ? config.baseUrl : localUrl;
  await noteAddress(instance, baseUrl);
  const { jobs, mails, staffMails } = gather(servedCapabilities(config));
  const outbox = createOutbox(instance, { mails, staffMails }, metrics);
  if (config.jobs.enabled) outbox.start();
  const background = startBackground(
    { ...instance, clock: instance.machineClock },
    { jobs, metrics, outbox },
  );
  return {
    urls,
    localUrl,
    baseUrl,
    scheduler: background.scheduler,
    status: report.status,
    stop: async () => {
      beginStopping(ctx);
      await Promise.all([stopServing(instance, servers), outbox.stop()]);
      await background.stop();
      await stopTasks(ctx);
      await background.scheduler.runOwn(ctx);
      rememberLimits(config, http, ctx.log);
      await instance.close();
    },
  };
}

/** A browser opens nothing of a Unix socket: links of commands stay those of the server before. */
async function noteAddress({ config, ctx, database, isReachedAt }: Instance, url: string): Promise<void> {
  if (url.startsWith('unix:')) return;
  isReachedAt(url);
  await keepServedAt(ctx, { url, isSet: config.baseUrlIsSet }, database.dialect !== 'sqlite');
}

async function listenEverywhere(
  answer: Parameters<typeof listen>[0],
  http: HttpRuntime,
  config: Config,
  tls: TlsFiles | undefined,
): Promise<RunningServer[]> {
  const servers: RunningServer[] = [];
  try {
    for (const address of config.listen) {
      if (address.kind === 'unix') await removeDeadSocket(address.path);
      servers.push(await listen(answer, http.state, address, tls));
      if (address.kind === 'fd') requireEncryption(config, servers.at(-1)?.url ?? '');
    }
    return servers;
  } catch (error) {
    for (const server of servers) server.destroy();
    if (error instanceof ConfigError) throw error;
    const address = config.listen[servers.length];
    throw address ? addressFailure(error as NodeJS.ErrnoException, address) : error;
  }
}

/** What an inherited socket listens on shows only now. @throws ConfigError */
function requireEncryption(config: Config, url: string): void {
  if (!url.startsWith('http://')) return;
  const [problem] = servingProblems(config, parseListen(url.slice('http://'.length)));
  if (problem) throw new ConfigError([problem]);
}

/** What this process is asked for at /metrics and by the admin API; null while that is off. */
function metricsOf({ config, ctx, machineClock }: Instance): Metrics | null {
  const groups = gather(servedCapabilities(config)).metrics;
  const metrics = config.metrics.enabled ? createMetrics(groups, { ctx, clock: machineClock }) : null;
  ctx.memory.of(metricsInForce).metrics = metrics;
  return metrics;
}

function httpRuntime(instance: Instance, metrics: Metrics | null): HttpRuntime {
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
      stopping: new AbortController(),
    },
    observe: requestObserver(ctx, metrics),
  };
}

const createOutbox = (
  { ctx }: Instance,
  { mails, staffMails }: Pick<Gathered, 'mails' | 'staffMails'>,
  metrics: Metrics | null,
): OutboxWorker =>
  createOutboxWorker({
    ctx,
    handlers: [
      webhookHandler(webhookServices, ({ seconds, ...labels }) => metrics?.delivery(labels, seconds)),
      mailHandler(mails),
      hookHandler(storeHookThens),
      staffMailHandler(staffMails),
    ],
  });

async function stopServing({ config, ctx }: Instance, servers: RunningServer[]): Promise<void> {
  const force = setTimeout(() => {
    ctx.log.warn('open requests were cut after the grace period');
    for (const server of servers) server.destroy();
  }, config.http.shutdownGraceSeconds * 1000);
  await Promise.all(servers.map((server) => server.stop()));
  clearTimeout(force);
}

/** An address that a person can open: a wildcard becomes loopback. */
const reachable = (url: string): string =>
  url.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://127.0.0.1:');
