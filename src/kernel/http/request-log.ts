import { requestLogOf } from '../log.ts';
import type { Exchange } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import type { HttpRuntime } from './runtime.ts';

/** The request log: one line per answer, with the declared route and never the URL, which may hold a key. */
export function requestObserver(
  root: HttpRuntime['root'],
  metrics: Metrics | null,
): (exchange: Exchange, status: number, code: string | null) => void {
  const log = requestLogOf(root.log);
  return (exchange, status, code) => {
    const ms = performance.now() - exchange.startedMs;
    const { req, route } = exchange;
    metrics?.request({ method: req.method ?? '', route, status, code }, ms / 1000);
    log.info(
      {
        requestId: exchange.requestId,
        method: req.method,
        route,
        status,
        code,
        ms: Math.round(ms * 100) / 100,
        ip: exchange.ip,
        actor: exchange.ctx.actor.id,
      },
      'request',
    );
  };
}
