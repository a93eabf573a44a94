import { isAudited } from '../audit.ts';
import type { Job } from '../capability.ts';
import type { Ctx } from '../context.ts';
import type { Run } from './run.ts';
import { keepRun } from './runs/repository.ts';

/** What runs so seldom is kept whatever it did. */
const SELDOM_SECONDS = 3600;
const LONGEST_NAME = 300;

/** Who asked for a run: a person or a token; null for what the program does by itself. */
export function askedBy({ actor }: Pick<Ctx, 'actor'>): string | null {
  if (!isAudited({}, actor)) return null;
  const { kind, label } = actor;
  return [...(label === null ? kind : `${kind}:${label}`)].slice(0, LONGEST_NAME).join('');
}

/**
 * Adds a run to the history of its job if it is worth a look: one that was asked for, failed, changed something, or of a
 * job that runs hourly at most. The others, six a minute of some jobs, only leave their outcome with the job.
 *
 * @param ctx of the transaction that notes the end of the run
 */
export async function remember(ctx: Ctx, { everySeconds }: Job, run: Run): Promise<void> {
  const didSomething = Object.values(run.result ?? {}).some((count) => count > 0);
  const isAsked = run.startedBy !== null || run.status === 'failed';
  if (isAsked || didSomething || everySeconds >= SELDOM_SECONDS) await keepRun(ctx, run);
}
