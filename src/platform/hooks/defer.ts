import type { Ctx } from '#kernel/context.ts';
import type { Payload } from '#kernel/hooks/point.ts';
import { insertOutbox } from '#kernel/outbox/repository.ts';
import { writeRun } from './runs.ts';

/**
 * Puts something off until its before-hooks have run, where a use case must not wait for them: the worker calls them after
 * the commit, and does it when none has refused.
 *
 * @param subject id of what it is about
 * @returns false where no file subscribes: the caller does it now
 */
export async function deferredToHooks(
  ctx: Ctx,
  point: string,
  subject: string,
  payload: Payload,
): Promise<boolean> {
  const event = `before:${point}`;
  if (ctx.hooks.isIdle(event) || !(await ctx.hooks.load()).byEvent.has(event)) return false;
  const row = await writeRun(ctx, { phase: 'before', point, file: '', subject, eventId: null, payload });
  await insertOutbox(ctx, [row]);
  return true;
}
