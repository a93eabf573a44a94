import type { Ctx } from '../context.ts';
import { fail } from '../service/errors.ts';
import { callHook, failed } from './call.ts';
import { changesOf } from './changed.ts';
import { HookError, shownMessage } from './hook-error.ts';
import type { Hooks } from './hooks.ts';
import { type Allowed, actorOf, type Payload } from './point.ts';

/** What each before-hook may take. */
const BEFORE_MS = 5000;

/**
 * Runs the before-hooks of a point, one after the other in the order of their files, outside of any transaction. Each is
 * given what the one before it has made of the payload.
 *
 * @returns the fields that were changed, read by their schemas; null when none was
 * @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED, with the message of a HookError; HookFailed for anything else
 */
export async function runBefore(
  ctx: Ctx,
  hooks: Hooks,
  point: string,
  payload: Payload,
  allowed: Allowed,
): Promise<Payload | null> {
  const { byEvent } = await hooks.load();
  const actor = actorOf(ctx.actor);
  let changes: Payload | null = null;
  let current = payload;
  for (const one of byEvent.get(`before:${point}`) ?? []) {
    const returned = await refusable(() => callHook(ctx, one, { payload: current, actor, ms: BEFORE_MS }));
    try {
      const changed = changesOf(current, returned, allowed);
      if (changed === null) continue;
      changes = { ...(changes ?? {}), ...changed.read };
      current = { ...current, ...changed.sent };
    } catch (error) {
      throw failed(ctx, one, error);
    }
  }
  return changes;
}

async function refusable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HookError)) throw error;
    throw fail('VALIDATION_ERROR', shownMessage(error), { details: { reason: 'HOOK_REJECTED' } });
  }
}
