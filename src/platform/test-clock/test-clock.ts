import { z } from 'zod';
import { clockShift } from '#kernel/clock-shift.ts';
import type { Ctx } from '#kernel/context.ts';
import { instant, integer, optional, report, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** A century: whatever a license may last. */
const LONGEST_STEP_SECONDS = 3_155_760_000;

/** How the test clock is moved (licensing 4.2, Clock). */
export const MoveClockBody = later(() =>
  z
    .strictObject({
      now: optional(timestamp()),
      advanceSeconds: optional(integer(0, LONGEST_STEP_SECONDS)),
      reset: optional(z.literal(true, { error: 'must be true' })),
    })
    .check((checked) => {
      const given = Object.values(checked.value).filter((value) => value !== undefined);
      if (given.length !== 1)
        report(checked, 'choice', 'exactly one of now, advanceSeconds and reset is needed');
    }),
);
export type MoveClock = z.output<typeof MoveClockBody>;

export const ClockReply = z.object({
  /** What the server takes for the time. */
  now: instant(),
  /** Seconds by which that is ahead of the machine's clock; negative when it is behind. */
  shiftSeconds: z.number(),
});

/**
 * Moves the clock of this server: everything that depends on the date follows, its jobs included (licensing 4.2). Other
 * processes and the next start have the machine's time. `advanceSeconds: 0` only tells the time.
 */
export function moveClock(ctx: Ctx, { now, advanceSeconds = 0, reset }: MoveClock) {
  const shift = ctx.memory.of(clockShift);
  const before = shift.ms;
  if (reset) shift.ms = 0;
  else if (now !== undefined) shift.ms += Date.parse(now) - Date.parse(ctx.now());
  else shift.ms += advanceSeconds * 1000;
  const answer = { now: ctx.now(), shiftSeconds: shift.ms / 1000 };
  if (shift.ms !== before) ctx.log.warn(answer, 'the test clock was moved');
  return answer;
}
