import type { RequestListener } from 'node:http';
import { buildInfo } from '#kernel/build-info.ts';
import { isBeforeEpoch } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { gather } from '#kernel/gather.ts';
import { createApplication } from '#kernel/http/application.ts';
import type { Places } from '#kernel/http/inherited-sockets.ts';
import type { Metrics } from '#kernel/http/metrics.ts';
import type { HttpRuntime } from '#kernel/http/runtime.ts';
import type { Certificate } from '#kernel/http/server.ts';
import type { OwnFigures } from '#kernel/http/summed-metrics.ts';
import type { Surface } from '#kernel/http/surface.ts';
import type { Scheduler } from '#kernel/jobs/scheduler.ts';
import { beginStopping } from '#kernel/jobs/stopping.ts';
import { licensingErrors, licensingLimits, licensingSurface } from '#licensing/index.ts';
import { keepServedAt } from '#platform/installation/index.ts';
import { adminSurface } from '#platform/staff-api/index.ts';
import { storeSurface } from '#storefront/index.ts';
import type { RunningStream } from './backup/stream/run.ts';
import { servedCapabilities } from './capabilities.ts';
import { answeringOf, type Begun } from './first-answers.ts';
import { httpRuntime, metricsOf } from './http-runtime.ts';
import type { Instance } from './instance.ts';
import { type KeptCertificate, keptCertificate, orderNow } from './kept-certificate.ts';
import { type CountedLimits, countedLimits, openLimits, type Remembered } from './limit-memory.ts';
import { type Listening, listenEverywhere, reachable, stopServing, warnOfDeafRedirect } from './listening.ts';
import { createServerReport, type ServerReport, type ServerStatus } from './server-report.ts';
import { siteOf } from './site.ts';
import { withDocument } from './store-reference.ts';
import type { ConfigSources } from './system-checks.ts';
import { leadershipOf, startWork, type Work } from './work.ts';
import { type Beside, type Leading, type Together, togetherOf } from './workers/together.ts';

/** A server that listens. */
export interface Running {
  /** As each server listens: `http://0.0.0.0:8480`, `unix:/run/appctl.sock`. */
  readonly urls: readonly string[];
  /** The first of them as a browser on this machine opens it. */
  readonly localUrl: string;
  readonly baseUrl: string;
  readonly scheduler: Scheduler;
  readonly listening: Listening;
  /** The file that it is configured by; null for none. */
  readonly configFile: string | null;
  /** What it says of itself. */
  status(): ServerStatus;
  /** What is counted of limits in the memory of this process. */
  limits(): Remembered;
  /** Shows the certificate that is in its files now. */
  reloadCertificate(): void;
  /** Has the other processes of this server read anew what can change while they run. */
  reloadOthers(level: Config['log']['level']): Promise<void>;
  /** Has the other processes of this server write what waits in their memory. */
  flushOthers(): Promise<void>;
  /** Resolves when the other processes of this server serve, too. */
  complete(): Promise<void>;
  /** What this process has counted; null where metrics are off. */
  figures(): Promise<OwnFigures | null>;
  /** Begins the work of the server before this one: jobs, webhooks, and what it counted last. */
  lead(): void;
  /** Takes no new work, and asks load balancers for no more; requests are answered. */
  rest(isResting: boolean): void;
  readonly isResting: boolean;
  /** Stops accepting, finishes open requests within the configured grace, ends jobs, closes the database. */
  stop(): Promise<void>;
}

/** What a server is started with, beside its configuration. */
export interface ServeOptions {
  readonly tls?: Certificate | undefined;
  /** Where it listens; on what is configured when left out. */
  readonly places?: Pick<Places, 'places' | 'isComplete'>;
  /** Another server of this data directory has jobs, webhooks and its counts until `lead` is called. */
  readonly follows?: { readonly told: unknown };
  /** With what the other processes of this server are started. */
  readonly leading?: Leading;
  /** This process is one of those. */
  readonly beside?: Beside;
  /** It listens already. */
  readonly begun?: Begun;
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

/**
 * Serves an opened installation on all configured addresses.
 *
 * @throws AppError CONFLICT when an address is in use; ConfigError when this machine or this user cannot have it
 */
export async function serve(
  instance: Instance,
  sources: ConfigSources,
  options: ServeOptions = {},
): Promise<Running> {
  const together = togetherOf(instance, options);
  try {
    return await serveTogether(instance, sources, options, together);
  } catch (error) {
    together.close();
    throw error;
  }
}

async function serveTogether(
  instance: Instance,
  sources: ConfigSources,
  options: ServeOptions,
  together: Together,
): Promise<Running> {
  const { config, ctx } = instance;
  const metrics = metricsOf(instance, together.metrics);
  const { begun } = options;
  const http = httpRuntime(instance, metrics, together.counting, begun?.answering ?? answeringOf(instance));
  const report = createServerReport(together.workers, options.beside?.server);
  const answer = applicationOf(instance, sources, { http, metrics, report });
  tellOfClock(ctx);
  const counted = together.isFirst
    ? countedLimits(config, http, { log: ctx.log, follows: options.follows })
    : null;
  for (const { start } of servedCapabilities(config)) await start?.(ctx);
  const certificate = begun?.certificate ?? keptCertificate(instance, options.tls);
  const listening =
    begun?.listening ??
    (await listenEverywhere(answer, http.state, config, { ...options, ...certificate.shown }));
  begun?.open(answer);
  if (together.isFirst) warnOfDeafRedirect(instance, listening);
  // The files of sockets are those of the first process.
  if (!together.isFirst) for (const server of listening.servers) server.handOver();
  certificate.begin(listening.servers);
  counted?.begin();
  const localUrl = reachable(listening.urls[0] ?? config.baseUrl);
  report.listens(localUrl, listening.urls, certificate.status);
  const baseUrl = config.baseUrlIsSet ? config.baseUrl : localUrl;
  await noteAddress(instance, baseUrl, together.isFirst);
  const work = startWork(instance, { metrics, http, leads: leadershipOf(instance, options) });
  const stream = together.isFirst ? await streamOf(instance) : null;
  const tls = () => certificate.pair() ?? options.tls;
  await together.begin({ instance, tls, listening, http, metrics, status: report.status });
  const parts = { together, metrics, http, report, counted, certificate, listening, localUrl, baseUrl };
  return runningOf(instance, sources, { ...parts, work, stream });
}

interface RunningParts {
  readonly together: Together;
  readonly metrics: Metrics | null;
  readonly http: HttpRuntime;
  readonly report: ServerReport;
  readonly counted: CountedLimits | null;
  readonly certificate: KeptCertificate;
  readonly listening: Listening;
  readonly localUrl: string;
  readonly baseUrl: string;
  readonly work: Work;
  readonly stream: { end(): Promise<void> } | null;
}

function runningOf(
  instance: Instance,
  sources: ConfigSources,
  { together, work, listening, http, metrics, report, counted, certificate, stream, ...urls }: RunningParts,
): Running {
  return {
    urls: listening.urls,
    ...urls,
    listening,
    configFile: sources.files.config,
    scheduler: work.scheduler,
    status: report.status,
    limits: () => openLimits(http),
    rest(isResting) {
      work.rest(isResting);
      together.rest(isResting);
    },
    get isResting() {
      return http.state.isResting;
    },
    lead() {
      counted?.lead();
      together.lead();
      work.lead();
      if (instance.config.tls?.acme) void orderNow(instance, work.scheduler);
    },
    reloadCertificate: certificate.reload,
    reloadOthers: together.reload,
    flushOthers: together.flush,
    complete: together.complete,
    figures: async () => metrics?.own() ?? null,
    stop: () =>
      stopAll(instance, listening, { ...work, others: together.stop() }, () => {
        certificate.end();
        counted?.end();
        together.close();
      }).then(() => stream?.end()),
  };
}

function tellOfClock(ctx: Instance['ctx']): void {
  if (isBeforeEpoch(Date.parse(ctx.now())))
    ctx.log.error({ now: ctx.now() }, 'the clock is before 1970: nothing can be created until it is set');
}

/** @param end of what works in memory, before the database is closed */
async function stopAll(
  instance: Instance,
  { servers }: Listening,
  { outbox, end, others }: Pick<Work, 'outbox' | 'end'> & { others: Promise<void> },
  endOthers: () => void,
): Promise<void> {
  beginStopping(instance.ctx);
  await Promise.all([stopServing(instance, servers), outbox.stop(), others]);
  await end();
  endOthers();
  await instance.close();
}

/** Ships commits to the place of backups, where that is wanted. */
async function streamOf({ config, database, ctx: { log } }: Instance): Promise<RunningStream | null> {
  if (config.backup.stream && database.dialect === 'sqlite')
    return (await import('./backup/stream/run.ts')).startStream({ config, database, log });
  await (await import('#kernel/storage/kept-notes.ts')).endNotes(config.dataDir);
  return null;
}

/** What answers the requests of all surfaces and pages. */
function applicationOf(
  instance: Instance,
  sources: ConfigSources,
  { http, metrics, report }: { http: HttpRuntime; metrics: Metrics | null; report: ServerReport },
): RequestListener {
  const { config } = instance;
  const surfaces = surfacesOf(config);
  return createApplication({
    config,
    http,
    surfaces,
    site: siteOf(instance, http, { server: report.status, sources, surfaces }),
    metrics,
    version: buildInfo().version,
    ping: () => instance.database.ping(),
  });
}

/** A browser opens nothing of a Unix socket: links of commands stay those of the server before. */
async function noteAddress(
  { config, ctx, database, isReachedAt }: Instance,
  url: string,
  isFirst: boolean,
): Promise<void> {
  if (url.startsWith('unix:')) return;
  isReachedAt(url);
  if (isFirst) await keepServedAt(ctx, { url, isSet: config.baseUrlIsSet }, database.dialect !== 'sqlite');
}
