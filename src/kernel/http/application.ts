import type { RequestListener } from 'node:http';
import express, { type Application, type NextFunction, type Request, type Response } from 'express';
import type { Config } from '../config/config.ts';
import { equalSecrets } from '../crypto.ts';
import { Branches } from './branches.ts';
import { inRanges, normalAddress, parseRange } from './client-address.ts';
import { mountPreflight } from './cors.ts';
import { mountDocs } from './docs.ts';
import { send } from './exchange.ts';
import { createHealthProbe, mountHealth, mountReady } from './health.ts';
import { addHelpLink } from './help-link.ts';
import type { Metrics } from './metrics.ts';
import { type ExactRoutes, mount, mountNotFound } from './mount.ts';
import { mountPages, noSuchPage } from './mount-pages.ts';
import { repeatedHeader } from './repeated-headers.ts';
import { type HttpRuntime, openExchange, tellAnswered } from './runtime.ts';
import { sendError } from './send-page.ts';
import type { Site } from './site.ts';
import { mountStatic } from './static.ts';
import type { Surface } from './surface.ts';

export interface ApplicationParts {
  config: Config;
  http: HttpRuntime;
  surfaces: readonly Surface[];
  site: Site;
  metrics: Metrics | null;
  version: string;
  ping(): Promise<void>;
}

/** What answers the requests of a server: health, metrics, APIs, pages, and something for everything else. */
export function createApplication(parts: ApplicationParts): RequestListener {
  const { config, http, surfaces } = parts;
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  // Whose X-Forwarded-Proto says that a browser came by https: its sign-in cookie is sent over nothing else (M15).
  app.set('trust proxy', config.proxyTrust);
  const isHealthy = createHealthProbe(parts.ping);
  const nowMs = () => Date.parse(http.root.now());
  mountHealth(app, http, { isHealthy, version: parts.version, nowMs });
  mountReady(app, http, { isHealthy, nowMs });
  if (parts.metrics) mountMetrics(app, parts.metrics, config.metrics.token);
  const exact: ExactRoutes = new Map();
  const branches = new Branches();
  for (const surface of surfaces) mount(app, { exact, branches }, surface, http, parts.site.visitors);
  app.use(branches.handle);
  const documented = surfaces.filter(({ endpoints }) => endpoints.length > 0);
  if (config.mode === 'development') mountDocs(app, documented, parts.version);
  for (const surface of mostSpecificFirst(surfaces)) {
    mountPreflight(app, surface, http);
    mountNotFound(app, surface, http);
  }
  mountStatic(app, parts.site.files, http);
  mountPages(app, parts.site, http);
  // What it throws itself express logs, and ends the connection.
  app.use((error: unknown, req: Request, res: Response, _next: NextFunction) =>
    answerBroken(error, req, res, parts),
  );
  return (req, res) => {
    if (http.state.leaving.isTooLate(req)) return;
    const { path, search } = splitUrl(req.url as string);
    const run = exact.get(`${req.method} ${path}`);
    if (run) run(req, res, search);
    else app(req, res);
  };
}

/** A `#` is no part of what a client may send; how the router reads one shall stay the one way. */
function splitUrl(url: string): { path: string; search: string | null } {
  const mark = url.indexOf('?');
  if (mark === -1 || url.includes('#')) return { path: url, search: null };
  return { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

/** What no endpoint answers belongs to the surface with the longest prefix: `/api/v1/admin` lies below `/api`. */
const mostSpecificFirst = (surfaces: readonly Surface[]): Surface[] => {
  const longest = ({ prefixes }: Surface) => Math.max(...prefixes.map(({ length }) => length));
  return surfaces.toSorted((one, other) => longest(other) - longest(one));
};

const AUTHORIZATION: ReadonlySet<string> = new Set(['authorization']);

/** What a reverse proxy adds for somebody else: the connection from loopback is its own then. */
const FORWARDED = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/** Prometheus text for loopback, or for a bearer of the token (A151). */
function mountMetrics(app: Application, metrics: Metrics, token: string | undefined): void {
  app.get('/metrics', async (req: Request, res: Response) => {
    if (repeatedHeader(req.rawHeaders, AUTHORIZATION) !== null) {
      res.writeHead(400).end();
      return;
    }
    const isForwarded = FORWARDED.some((name) => req.headers[name] !== undefined);
    const isLocal =
      !isForwarded &&
      inRanges(normalAddress(req.socket.remoteAddress), [parseRange('127.0.0.0/8'), parseRange('::1')]);
    const given = req.headers.authorization ?? '';
    const allowed = token === undefined ? isLocal : equalSecrets(given, `Bearer ${token}`);
    if (!allowed) {
      res.writeHead(404).end();
      return;
    }
    const { body, contentType } = await metrics.text();
    res.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
  });
}

/** Errors of express itself: a path that does not decode. The request is at fault, not the program. */
async function answerBroken(
  error: unknown,
  req: Request,
  res: Response,
  { surfaces, site, http }: ApplicationParts,
): Promise<void> {
  const { status = 500 } = error as { status?: number };
  if (status >= 500) http.root.log.error({ err: error }, 'request failed outside of a route');
  if (res.headersSent) {
    req.socket.destroy();
    return;
  }
  const exchange = openExchange(req, res, http, '*');
  const surface = mostSpecificFirst(surfaces).find(({ prefixes }) =>
    prefixes.some((one) => isBelow(req.path, one)),
  );
  if (!surface) {
    await sendError(
      { site, http, exchange, page: null, visitor: null, around: null },
      status < 500 ? noSuchPage() : error,
    );
    return;
  }
  const failure = status < 500 ? surface.notFound() : surface.unexpected();
  addHelpLink(exchange, failure.code);
  send(exchange, failure.status, surface.failure(failure, exchange.requestId));
  tellAnswered(surface, http, exchange, failure.status, failure.code);
}

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);
