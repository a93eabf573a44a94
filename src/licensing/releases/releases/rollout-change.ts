import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type ChangeOptions, changeRelease } from './change.ts';
import type { Release } from './release.ts';
import { effectiveBps, FULL_ROLLOUT, toBps, toPercent } from './rollout.ts';
import { RolloutInput, type RolloutSent } from './schemas.ts';
import type { Rollout } from './states.ts';

/**
 * Changes how far a release reaches (licensing 6.4). A percent without a schedule ends the schedule, so that 0 stops
 * new offers for good. Pausing keeps what was reached; resuming goes on with the schedule.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function rollout(
  ctx: Ctx,
  id: string,
  input: RolloutSent,
  options: ChangeOptions = {},
): Promise<Release> {
  const sent = checkInput(RolloutInput, input);
  return changeRelease(ctx, id, options, async (ctx, before) => {
    const now = ctx.now();
    const after = { ...before, rollout: moved(before.rollout, sent, now) };
    const data = { percent: toPercent(effectiveBps(after.rollout, now)), paused: after.rollout.paused };
    return { type: 'RELEASE_ROLLOUT_CHANGED', after, data };
  });
}

/**
 * A rollout after a change. Pure.
 *
 * @param now ISO 8601 UTC
 * @throws AppError VALIDATION_ERROR for a schedule that could change nothing
 */
export function moved(before: Rollout, sent: RolloutSent, now: string): Rollout {
  const percent = sent.percent ?? undefined;
  const schedule = sent.schedule ?? (percent === undefined ? before.schedule : []);
  const paused = sent.paused ?? before.paused;
  const stops = paused && !before.paused && percent === undefined;
  const reached = stops ? effectiveBps(before, now) : before.bps;
  const bps = percent === undefined ? reached : toBps(percent);
  if (sent.schedule && sent.schedule.length > 0 && bps === FULL_ROLLOUT) {
    throw fail('VALIDATION_ERROR', 'the release already reaches everyone: send a starting percentage', {
      details: { issues: [{ path: 'percent', rule: 'required', message: 'is required with this schedule' }] },
    });
  }
  return { bps, paused, schedule };
}
