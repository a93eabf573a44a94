import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** How many checks found something, of those that do not take long. */
export interface FindingCounts {
  readonly failed: number;
  readonly warned: number;
}

interface Known {
  /** Runs the checks; null in a program without a system page. */
  run: (() => Promise<FindingCounts>) | null;
  counts: FindingCounts | null;
  /** Monotonic milliseconds until which the counts are fresh. */
  untilMs: number;
  running: Promise<void> | null;
}

const known = memoryKey<Known>('known-findings', () => ({
  run: null,
  counts: null,
  untilMs: 0,
  running: null,
}));

const FRESH_MS = 300_000;
const NOTHING: FindingCounts = { failed: 0, warned: 0 };

/** Says how checks are run where there are all of them. */
export function runChecksBy(ctx: Ctx, run: () => Promise<FindingCounts>): void {
  ctx.memory.of(known).run = run;
}

/** Remembers what checks found that somebody ran. @param nowMs monotonic milliseconds */
export function rememberFindings(ctx: Ctx, counts: FindingCounts, nowMs: number): void {
  Object.assign(ctx.memory.of(known), { counts, untilMs: nowMs + FRESH_MS });
}

/**
 * What checks found at most five minutes before the last time that somebody asked: who asks later gets what is known, and
 * the checks run behind the answer. The first one waits for them.
 *
 * @param nowMs monotonic milliseconds
 */
export async function knownFindings(ctx: Ctx, nowMs: number): Promise<FindingCounts> {
  const memory = ctx.memory.of(known);
  const { run } = memory;
  if (!run) return NOTHING;
  if (nowMs >= memory.untilMs)
    memory.running ??= run()
      .then((counts) => rememberFindings(ctx, counts, nowMs))
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'checks could not be run'))
      .finally(() => {
        memory.running = null;
      });
  if (memory.counts === null) await memory.running;
  return memory.counts ?? NOTHING;
}

/** What checks found when they last ran, for who cannot wait for them; nothing before the first run. */
export const lastFindings = (ctx: Ctx): FindingCounts => ctx.memory.of(known).counts ?? NOTHING;
