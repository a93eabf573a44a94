import type { Ctx } from '../context.ts';
import { failureOf, HookError, HookFailed, loggedFailure } from './hook-error.ts';
import type { HookActor, Payload, Subscription } from './point.ts';
import { inFile } from './stray.ts';
import { inTime } from './time.ts';

/** So many calls of one subscription may be under way: a hook that calls itself through the API ends here. */
const MOST_UNDER_WAY = 256;

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
  if (one.underWay >= MOST_UNDER_WAY) {
    const error = new Error(`it is running ${MOST_UNDER_WAY} times already; does it call itself?`);
    throw failed(ctx, one, error);
  }
  one.underWay += 1;
  const started = performance.now();
  try {
    const copy = frozen(payload);
    return await inFile(file, () => inTime(() => run(copy, Object.freeze({ event, actor })), ms, 'it'));
  } catch (error) {
    if (error instanceof HookError) {
      one.refused += 1;
      throw error;
    }
    throw failed(ctx, one, error);
  } finally {
    one.underWay -= 1;
    one.totalMs += performance.now() - started;
  }
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
