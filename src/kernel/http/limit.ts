import { AppError } from '../errors.ts';
import type { Exchange } from './exchange.ts';
import type { RateLimit } from './rate-limit.ts';
import type { HttpRuntime } from './runtime.ts';
import type { Caller, Surface } from './surface.ts';

/**
 * Takes one point of a bucket and writes the documented headers; every response for which a bucket was consulted
 * carries them (D14).
 *
 * @throws the surface's RATE_LIMITED with Retry-After when the bucket is empty
 */
export async function applyLimit(
  surface: Pick<Surface, 'limit' | 'rateLimited'>,
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
  if (rule.sparesInput && allowed)
    exchange.giveBack = async () => {
      await http.limiters.giveBack(effective, key);
      tell(exchange, limit, remaining + 1, resetSeconds);
    };
  if (allowed) return;
  exchange.headers['Retry-After'] = String(resetSeconds);
  leaveTrail(exchange, effective, key);
  throw surface.rateLimited(effective.bucket, limit, resetSeconds);
}

/**
 * Refuses an address that presents more distinct unknown credentials than its bucket holds: it is guessing, not
 * broken (D19d).
 *
 * @param waitSeconds until it may try again; 0 when it is not refused
 * @param address whose guesses were counted; null where something else shut it out, which no limit would lift
 * @throws the surface's RATE_LIMITED with Retry-After
 */
export function refuseGuesser(
  surface: Surface,
  exchange: Exchange,
  rule: RateLimit,
  waitSeconds: number,
  address: string | null,
): void {
  if (waitSeconds === 0) return;
  if (address !== null) leaveTrail(exchange, rule, address);
  tell(exchange, rule.max, 0, waitSeconds);
  exchange.headers['Retry-After'] = String(waitSeconds);
  throw surface.rateLimited(rule.bucket, rule.max, waitSeconds);
}

/** Gives a point back that was taken for a request whose input was refused; a reason says that it was judged further. */
export async function spareInput(exchange: Exchange, cause: unknown): Promise<void> {
  if (!exchange.giveBack || !(cause instanceof AppError)) return;
  const isInput = cause.status === 400 && cause.code.startsWith('VALIDATION_');
  if (isInput && cause.details.reason === undefined) await exchange.giveBack();
}

/** For whoever counts refusals: operators must see that a limit is too low. */
function leaveTrail({ ctx }: Exchange, rule: RateLimit, key: string): void {
  if (ctx.origin.trail) ctx.origin.trail.refusedBy = { ...rule, key };
}

function tell({ headers }: Exchange, limit: number, remaining: number, resetSeconds: number): void {
  headers['RateLimit-Limit'] = String(limit);
  headers['RateLimit-Remaining'] = String(remaining);
  headers['RateLimit-Reset'] = String(resetSeconds);
}

/** Says when it is worth another try, where a use case that was too busy knows it. */
export function tellWait({ headers }: Pick<Exchange, 'headers'>, { details }: AppError): void {
  if (typeof details.retryAfterSeconds === 'number')
    headers['Retry-After'] = String(details.retryAfterSeconds);
}
