import type { Exchange } from './exchange.ts';
import type { HttpRuntime } from './mount.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Caller, Surface } from './surface.ts';

/**
 * Takes one point of a bucket and writes the documented headers; every response for which a bucket was consulted
 * carries them (D14).
 *
 * @throws the surface's RATE_LIMITED with Retry-After when the bucket is empty
 */
export async function applyLimit(
  surface: Surface,
  http: HttpRuntime,
  exchange: Exchange,
  rule: RateLimit,
  key: string,
  caller: Caller | null,
): Promise<void> {
  const effective = surface.limit(exchange.ctx, rule, caller);
  if (!effective) return;
  const { allowed, limit, remaining, resetSeconds } = await http.limiters.take(effective, key);
  tell(exchange, limit, remaining, resetSeconds);
  if (allowed) return;
  exchange.headers['Retry-After'] = String(resetSeconds);
  throw surface.rateLimited(effective.bucket, limit, resetSeconds);
}

/**
 * Refuses an address that presents more distinct unknown credentials than its bucket holds: it is guessing, not
 * broken (D19d).
 *
 * @throws the surface's RATE_LIMITED with Retry-After
 */
export function refuseGuesser(surface: Surface, http: HttpRuntime, exchange: Exchange, address: string): void {
  const rule = surface.failureLimit(exchange.ctx);
  const waitSeconds = rule ? http.failures.blockedSeconds(address, rule) : 0;
  if (!rule || waitSeconds === 0) return;
  tell(exchange, rule.max, 0, waitSeconds);
  exchange.headers['Retry-After'] = String(waitSeconds);
  throw surface.rateLimited(rule.bucket, rule.max, waitSeconds);
}

function tell({ headers }: Exchange, limit: number, remaining: number, resetSeconds: number): void {
  headers['RateLimit-Limit'] = String(limit);
  headers['RateLimit-Remaining'] = String(remaining);
  headers['RateLimit-Reset'] = String(resetSeconds);
}
