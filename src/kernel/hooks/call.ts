import type { Ctx } from '../context.ts';
import { failureOf, HookError, HookFailed, loggedFailure } from './hook-error.ts';
import type { HookActor, Payload, Subscription } from './point.ts';
import { inFile } from './stray.ts';
import { inTime, TookTooLong } from './time.ts';

/** So many calls of one subscription may be under way: a hook that calls itself ends here. */
const MOST_UNDER_WAY = 256;
/**
 * After so many calls in a row that took too long a subscription rests: it fails without being called. A hook that calls
 * itself through the API ends here where each call is slow: those further out are given up, and others begin for ever
 * (decision 0094).
 */
const MOST_LATE = 20;
const REST_MS = 10_000;

/** How a hook is called. */
export interface Call {
  readonly payload: Payload;
  readonly actor: HookActor;
  readonly ms: number;
}

/**
 * Calls one function of the operator with a frozen copy, and counts how it went.
 *
 * @returns what it returned
 * @throws HookError of its own; HookFailed for everything else, which is logged, and for a call that takes too long
 */
export async function callHook(ctx: Ctx, one: Subscription, { payload, actor, ms }: Call): Promise<unknown> {
  const { file, event, run } = one;
  one.runs += 1;
  const started = performance.now();
  const why = whyNotCalled(one, started);
  if (why !== null) throw failed(ctx, one, new Error(why));
  one.underWay += 1;
  try {
    const copy = frozen(payload);
    const returned = await inFile(file, () =>
      inTime(() => run(copy, Object.freeze({ event, actor })), ms, 'it'),
    );
    one.lateInRow = 0;
    return returned;
  } catch (error) {
    if (error instanceof HookError) {
      one.refused += 1;
      one.lateInRow = 0;
      throw error;
    }
    if (error instanceof TookTooLong) {
      one.lateInRow += 1;
      one.lastLate = performance.now();
    }
    throw failed(ctx, one, error);
  } finally {
    one.underWay -= 1;
    one.totalMs += performance.now() - started;
  }
}

/** Calls that would only make it worse. */
function whyNotCalled({ underWay, lateInRow, lastLate }: Subscription, now: number): string | null {
  if (underWay >= MOST_UNDER_WAY)
    return `it is running ${MOST_UNDER_WAY} times already; does it call itself?`;
  if (lateInRow < MOST_LATE || now - lastLate >= REST_MS) return null;
  return `it took too long ${lateInRow} times in a row and rests for ${REST_MS / 1000} seconds; does it call itself?`;
}

/** Counts and logs a failure. @returns what is thrown instead */
export function failed(ctx: Ctx, one: Subscription, error: unknown): HookFailed {
  one.errors += 1;
  one.lastError = failureOf(error);
  one.lastErrorAt = ctx.now();
  const { requestId } = ctx.origin;
  ctx.log.error({ ...loggedFailure(error), file: one.file, event: one.event, requestId }, 'a hook failed');
  return new HookFailed(one.file, one.event, error);
}

/** A copy that nobody can change, and that shares nothing with ours. */
export const frozen = (payload: Payload): Payload => deepFreeze(JSON.parse(JSON.stringify(payload)));

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const one of Object.values(value)) deepFreeze(one);
  return Object.freeze(value);
}
