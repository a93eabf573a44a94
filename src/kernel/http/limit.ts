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
  exchange.headers['RateLimit-Limit'] = String(limit);
  exchange.headers['RateLimit-Remaining'] = String(remaining);
  exchange.headers['RateLimit-Reset'] = String(resetSeconds);
  if (allowed) return;
  exchange.headers['Retry-After'] = String(resetSeconds);
  throw surface.rateLimited(effective.bucket, limit, resetSeconds);
}
