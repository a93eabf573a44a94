import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Application, Request, Response } from 'express';
import { isBeforeEpoch, isoTime, sleep } from '../clock.ts';
import { othersOf } from '../other-processes.ts';
import { send } from './exchange.ts';
import { type Answering, openExchange } from './runtime.ts';

/** Of the two seconds within which an outage without a word is to be known; the rest is until the next probe begins. */
const BUDGET_MS = 1450;
const SHARED_MS = 1000;
/** So soon after a probe the next one begins, where somebody asks. */
const NEXT_MS = 400;

interface Probe {
  readonly at: number;
  readonly answer: Promise<boolean>;
  /** Null while it is not known. */
  result: boolean | null;
}

/**
 * Whether the database answers within what is left of two seconds; a result serves a second of callers at most (D32), and
 * a newer one takes its place.
 */
export function createHealthProbe(
  ping: () => Promise<void>,
  monotonicMs = () => performance.now(),
): () => Promise<boolean> {
  /** The newest first. */
  let probes: readonly Probe[] = [];
  return async () => {
    const now = monotonicMs();
    const serves = ({ at, result }: Probe): boolean => result === null || now - at <= SHARED_MS;
    const [newest] = probes;
    if (newest === undefined || now - newest.at >= NEXT_MS)
      probes = [begun(ping, now), ...probes.filter(serves)];
    const known = probes.find((one) => one.result !== null && serves(one));
    const oldest = probes.findLast(({ result }) => result === null);
    return known?.result ?? (oldest as Probe).answer;
  };
}

function begun(ping: () => Promise<void>, at: number): Probe {
  const one: Probe = {
    at,
    result: null,
    answer: probe(ping).then((works) => {
      one.result = works;
      return works;
    }),
  };
  return one;
}

async function probe(ping: () => Promise<void>): Promise<boolean> {
  const answered = ping().then(
    () => true,
    () => false,
  );
  // After the event loop stood still, an answer that has come is read before time is up.
  const late = sleep(BUDGET_MS)
    .then(() => turn())
    .then(() => false);
  return Promise.race([answered, late]);
}

/**
 * What keeps a server from its work, in words; null when nothing does.
 *
 * @param nowMs milliseconds since 1970
 * @param isFirstSilent its first process, which sends and schedules for all, does not respond
 */
export function faultOf(databaseWorks: boolean, nowMs: number, isFirstSilent = false): string | null {
  if (!databaseWorks) return 'The database cannot be read or written';
  if (isFirstSilent) return 'The first process of the server does not respond';
  return isBeforeEpoch(nowMs) ? 'The clock of the server is wrong' : null;
}

/** What every answer about a server's health needs. */
interface Health {
  isHealthy(): Promise<boolean>;
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** What else keeps it from its work, in words. */
  hindrance?(): string | null;
}

const HEALTH = '/api/health';

/** GET /api/health: no session, no body, no write (M17). */
export function answerHealth(
  http: Answering,
  { isHealthy, version, nowMs, hindrance }: Health & { readonly version: string },
): (req: IncomingMessage, res: ServerResponse) => Promise<void> {
  return async (req, res) => {
    const exchange = openExchange(req, res, http, HEALTH);
    const works = await isHealthy();
    const fault = hindrance?.() ?? faultOf(works, nowMs(), othersOf(http.root).isFirstSilent);
    const healthy = fault === null;
    const timestamp = isoTime(nowMs());
    const body = healthy
      ? { success: true, status: 'ok', timestamp, version }
      : {
          success: false,
          status: 'degraded',
          timestamp,
          error: { code: 'SERVER_ERROR', message: fault },
        };
    send(exchange, healthy ? 200 : 503, body);
    http.observe(exchange, healthy ? 200 : 503, healthy ? null : 'SERVER_ERROR');
  };
}

/** GET /api/health, beside everything else that the server answers. */
export function mountHealth(
  app: Application,
  http: Answering,
  options: Health & { readonly version: string },
): void {
  app.get(HEALTH, answerHealth(http, options));
}

/**
 * Answers while the rest of the program is still loaded: health at once, and everything else as soon as it can be.
 *
 * @param health answers GET /api/health until then
 * @returns `open` hands over every request, also those that wait
 */
export function answerEarly(health: ReturnType<typeof answerHealth>): {
  answer: RequestListener;
  open(all: RequestListener): void;
} {
  const { promise, resolve } = Promise.withResolvers<RequestListener>();
  let everything: RequestListener | null = null;
  return {
    answer(req, res) {
      if (everything) everything(req, res);
      else if (req.method === 'GET' && req.url === HEALTH) void health(req, res);
      else
        void promise.then((all) => {
          // Whoever has gone meanwhile asks again elsewhere.
          if (!res.destroyed) all(req, res);
        });
    },
    open(all) {
      everything = all;
      resolve(all);
    },
  };
}

/**
 * GET /api/ready: whether a load balancer should send requests here. Other than health, it turns 503 as soon as a server
 * is drained or stops, while it still answers everything.
 */
export function mountReady(app: Application, http: Answering, options: Health): void {
  app.get('/api/ready', async (req: Request, res: Response) => {
    const exchange = openExchange(req, res, http, '/api/ready');
    const { isDraining, isResting } = http.state;
    const fault =
      isDraining || isResting
        ? 'The server takes no new work'
        : faultOf(await options.isHealthy(), options.nowMs(), othersOf(http.root).isFirstSilent);
    const timestamp = isoTime(options.nowMs());
    const status = isDraining || isResting ? 'draining' : 'degraded';
    const body =
      fault === null
        ? { success: true, status: 'ready', timestamp }
        : { success: false, status, timestamp, error: { code: 'SERVER_ERROR', message: fault } };
    send(exchange, fault === null ? 200 : 503, body);
    http.observe(exchange, fault === null ? 200 : 503, fault === null ? null : 'SERVER_ERROR');
  });
}
