import type { Job } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** Titles of checks that found something. */
export interface Findings {
  readonly failed: readonly string[];
  readonly warned: readonly string[];
  /** Advice for the time before customers come. */
  readonly advised: readonly string[];
}

/** How checks are run where there are all of them. */
export interface Examiner {
  /** Runs those that do not take long, and adds what the others found last. */
  readonly find: () => Promise<Findings>;
  /** Runs those that take long and are due, and keeps what they find. @returns how many found what */
  readonly runDue: (ctx: Ctx) => Promise<Record<string, number>>;
}

interface Known {
  /** null in a program without a system page. */
  examiner: Examiner | null;
  findings: Findings | null;
  /** Monotonic milliseconds until which the findings are fresh. */
  untilMs: number;
  running: Promise<void> | null;
}

const known = memoryKey<Known>('known-findings', () => ({
  examiner: null,
  findings: null,
  untilMs: 0,
  running: null,
}));

const FRESH_MS = 60_000;
const NOTHING: Findings = { failed: [], warned: [], advised: [] };

/** Says how checks are run where there are all of them. */
export function examineBy(ctx: Ctx, examiner: Examiner): void {
  ctx.memory.of(known).examiner = examiner;
}

/** Remembers what checks found that somebody ran. @param nowMs monotonic milliseconds */
export function rememberFindings(ctx: Ctx, findings: Findings, nowMs: number): void {
  Object.assign(ctx.memory.of(known), { findings, untilMs: nowMs + FRESH_MS });
}

/**
 * What checks found at most a minute before the last time that somebody asked: who asks later gets what is known, and
 * the checks run behind the answer. The first one waits for them.
 *
 * @param nowMs monotonic milliseconds
 */
export async function knownFindings(ctx: Ctx, nowMs: number): Promise<Findings> {
  const memory = ctx.memory.of(known);
  const { examiner } = memory;
  if (!examiner) return NOTHING;
  if (nowMs >= memory.untilMs)
    memory.running ??= examiner
      .find()
      .then((findings) => rememberFindings(ctx, findings, nowMs))
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'checks could not be run'))
      .finally(() => {
        memory.running = null;
      });
  if (memory.findings === null) await memory.running;
  return memory.findings ?? NOTHING;
}

/** What checks found when they last ran, for who cannot wait for them; nothing before the first run. */
export const lastFindings = (ctx: Ctx): Findings => ctx.memory.of(known).findings ?? NOTHING;

/** Runs what takes long by itself, so that what it finds is known before somebody presses a button. */
export const checksJob: Job = {
  name: 'system-checks',
  description:
    'Runs the system checks that take long: some every hour, those that read whole tables once a day',
  everySeconds: 3600,
  async run(ctx) {
    const memory = ctx.memory.of(known);
    if (!memory.examiner) return {};
    const counts = await memory.examiner.runDue(ctx);
    memory.untilMs = 0;
    return counts;
  },
};
