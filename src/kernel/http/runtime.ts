import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx } from '../context.ts';
import { defineIds, newId } from '../ids.ts';
import type { CredentialFailures } from './credential-failures.ts';
import type { Exchange } from './exchange.ts';
import type { Leaving } from './leaving.ts';
import type { RateLimiters } from './rate-limiters.ts';
import type { Surface } from './surface.ts';

const ids = defineIds({ request: 'req' });

/** What answers tell about the server. */
export interface ServerState {
  readonly isHttps: boolean;
  /** The server stops: every answer asks its client to open another connection. */
  isDraining: boolean;
  /** Which clients are to open another connection. */
  readonly leaving: Leaving;
  /** `appctl drain`: it answers everything, and load balancers are asked to send nothing more. */
  isResting: boolean;
  /** Aborted when it begins to stop: answers that would go on for ever end. */
  readonly stopping: AbortController;
}

/** What every answer needs. */
export interface Answering {
  readonly root: Ctx;
  /** Address of the client, normalised; a trusted proxy's word counts (D16). */
  clientAddress(req: IncomingMessage): string;
  readonly state: ServerState;
  /** Told of every answer: request log and metrics. */
  observe(exchange: Exchange, status: number, code: string | null): void;
}

/** What every route of the process shares. */
export interface HttpRuntime extends Answering {
  readonly limiters: RateLimiters;
  readonly failures: CredentialFailures;
}

/** Headers of every answer (reliability M17); HSTS is added when the base URL is https. */
const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** Begins an exchange: request id, client address, headers. A request has an id even while the clock is before 1970. */
export function openExchange(
  req: IncomingMessage,
  res: ServerResponse,
  http: Pick<Answering, 'root' | 'state' | 'clientAddress'>,
  route: string,
): Exchange {
  const { root, state } = http;
  const requestId = newId(ids.request, Math.max(0, Date.parse(root.now())));
  const ip = http.clientAddress(req);
  const headers: Exchange['headers'] = { ...COMMON, 'X-Request-Id': requestId };
  if (state.isHttps) headers['Strict-Transport-Security'] = 'max-age=31536000; includeSubDomains';
  if (state.isDraining || state.leaving.asks(req, res)) {
    headers.Connection = 'close';
    state.leaving.end(req, res);
  }
  const origin = { requestId, ip, userAgent: req.headers['user-agent'] ?? null, route, trail: {} };
  return {
    req,
    res,
    requestId,
    route,
    ip,
    startedMs: performance.now(),
    ctx: root.with({ origin }),
    headers,
    seal: null,
  };
}

/** Who answers: a surface, or the pages. */
export type Answerer = Pick<Surface, 'name' | 'service' | 'answered'>;

/** Tells of an answer that was sent: the process counts and logs it, whoever answered may keep a record. */
export function tellAnswered(
  by: Answerer,
  http: HttpRuntime,
  exchange: Exchange,
  status: number,
  code: string | null,
): void {
  http.observe(exchange, status, code);
  by.answered?.({
    ctx: exchange.ctx,
    surface: by.name,
    service: by.service,
    method: exchange.req.method ?? '',
    status,
    code,
    ms: performance.now() - exchange.startedMs,
  });
}
