import { type IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { Exchange } from './exchange.ts';
import { identify } from './identify.ts';
import type { Live } from './live.ts';
import type { HttpRuntime } from './runtime.ts';
import type { Surface } from './surface.ts';
import type { Visitors } from './visitors.ts';

/** Opens what an endpoint with `live` is given. */
export function openLive(
  surface: Surface,
  http: HttpRuntime,
  visitors: Visitors,
  endpoint: Endpoint,
  exchange: Exchange,
): Live {
  return {
    signal: signalOf(http, exchange),
    async renew() {
      const again = asNew(http, exchange);
      try {
        const { caller } = await identify(surface, http, visitors, endpoint, again);
        if (caller) await surface.authorize?.(again.ctx, caller, endpoint);
        return again.ctx;
      } catch (error) {
        if (!(error instanceof AppError))
          http.root.log.warn(
            { err: error, route: exchange.route },
            'a live answer ends: its caller is unknown',
          );
        return null;
      }
    },
  };
}

function signalOf({ state }: HttpRuntime, { res }: Exchange): AbortSignal {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const { signal: stopping } = state.stopping;
  stopping.addEventListener('abort', end);
  res.once('close', () => {
    stopping.removeEventListener('abort', end);
    end();
  });
  if (stopping.aborted || res.destroyed) end();
  return ended.signal;
}

/**
 * The same request, as if it came now: its session is read anew, and what reading it would add to an answer, or note of a
 * browser that was here, goes nowhere.
 */
function asNew({ root }: HttpRuntime, exchange: Exchange): Exchange {
  const forgotten = ['session', 'sessionID', 'sessionStore'].map((name) => [
    name,
    { value: undefined, writable: true },
  ]);
  const req = Object.create(exchange.req, Object.fromEntries(forgotten)) as IncomingMessage;
  const { origin } = exchange.ctx;
  return {
    ...exchange,
    req,
    res: new ServerResponse(req),
    headers: {},
    ctx: root.with({ origin: { ...origin, trail: {} } }),
  };
}
