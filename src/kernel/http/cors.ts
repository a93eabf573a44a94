import type { Application, Request, Response } from 'express';
import type { Exchange } from './exchange.ts';
import { type HttpRuntime, openExchange } from './runtime.ts';
import type { Caller, Surface } from './surface.ts';

const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const READABLE_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
];
const PREFLIGHT_SECONDS = '600';

/** Opens an answer to the page that asked, when the caller's own key lists its origin; never with cookies (D19e). */
export function allowOrigin({ cors }: Surface, exchange: Exchange, caller: Caller): void {
  const { origin } = exchange.req.headers;
  if (origin === undefined || !cors || !caller.allowedOrigins.includes(origin)) return;
  exchange.headers['Access-Control-Allow-Origin'] = origin;
  exchange.headers['Access-Control-Expose-Headers'] = [...READABLE_HEADERS, ...cors.answerHeaders].join(', ');
  exchange.headers.Vary = 'Origin';
}

/** Answers a browser's preflight when any live key lists the origin; everybody else gets the unknown-method answer. */
export function mountPreflight(app: Application, surface: Surface, http: HttpRuntime): void {
  const { cors } = surface;
  if (!cors) return;
  for (const prefix of surface.prefixes) {
    app.options(`${prefix}/{*path}`, async (req: Request, res: Response, next: () => void) => {
      const { origin } = req.headers;
      const isPreflight = origin !== undefined && req.headers['access-control-request-method'] !== undefined;
      if (!isPreflight || !(await cors.opensTo(http.root, origin))) return next();
      const exchange = openExchange(req, res, http, `${prefix}/*`);
      res.writeHead(204, {
        ...exchange.headers,
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Allow-Methods': METHODS,
        'Access-Control-Allow-Headers': ['Content-Type', ...cors.requestHeaders].join(', '),
        'Access-Control-Max-Age': PREFLIGHT_SECONDS,
        Vary: 'Origin',
      });
      res.end();
      http.observe(exchange, 204, null);
    });
  }
}
