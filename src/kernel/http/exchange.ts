import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Ctx } from '../context.ts';
import { defineIds, newId } from '../ids.ts';
import type { HttpRuntime } from './mount.ts';
import type { Seal, Surface } from './surface.ts';

const ids = defineIds({ request: 'req' });

/** One request and its answer, as they pass through the layers. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  /** Declared path, never the URL: URLs may hold keys. */
  readonly route: string;
  readonly ip: string;
  readonly startedMs: number;
  ctx: Ctx;
  readonly headers: Record<string, string>;
  /** Makes headers of the final text of the answer; null when the request asked for none. */
  seal: Seal | null;
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
  http: HttpRuntime,
  route: string,
): Exchange {
  const { root, state } = http;
  const requestId = newId(ids.request, Math.max(0, Date.parse(root.now())));
  const ip = http.clientAddress(req);
  const headers: Record<string, string> = { ...COMMON, 'X-Request-Id': requestId };
  if (state.isHttps) headers['Strict-Transport-Security'] = 'max-age=31536000; includeSubDomains';
  if (state.isDraining) headers.Connection = 'close';
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

/** Sends a JSON answer; answers to callers with credentials are never stored by anybody in between. */
export const send = (exchange: Exchange, status: number, body: unknown): void =>
  sendText(exchange, status, JSON.stringify(body));

/** Sends an answer whose JSON is text already; an empty one is an answer without a body. */
export function sendText(exchange: Exchange, status: number, text: string): void {
  if (text !== '') {
    exchange.headers['Content-Type'] = 'application/json; charset=utf-8';
    exchange.headers['Content-Length'] = String(Buffer.byteLength(text));
  }
  exchange.headers['Cache-Control'] = 'no-store';
  if (exchange.res.headersSent) return;
  exchange.res.writeHead(status, exchange.headers);
  exchange.res.end(text);
}

/** Tells of an answer that was sent: the process counts and logs it, the surface may keep a record. */
export function tellAnswered(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  status: number,
  code: string | null,
): void {
  http.observe(exchange, status, code);
  surface.answered?.({
    ctx: exchange.ctx,
    method: exchange.req.method ?? '',
    status,
    code,
    ms: performance.now() - exchange.startedMs,
  });
}
