import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { isUnavailable } from '#kernel/db/dialect.ts';
import * as repo from '../events/repository.ts';
import { LONGEST_RETRY_SECONDS, processStored } from './process.ts';

/** A run handles so many, then others get their turn (licensing 4.5). */
const MOST_PER_RUN = 5000;
/** Clocks of two processes may differ by this much before what one of them wrote is taken for a mistake. */
const TOLERANCE_SECONDS = 60;

/**
 * Processes the events of the inbox that are due: those whose processing failed or was cut short, and failed ones that
 * were sent again (D103).
 *
 * @returns how many came to an end, and how many wait for another time
 */
export async function retryInbox(ctx: Ctx): Promise<Record<string, number>> {
  const seen = new Set<string>();
  const counts = { ended: 0, waiting: 0 };
  while (seen.size < MOST_PER_RUN) {
    const latest = addSeconds(ctx.now(), LONGEST_RETRY_SECONDS + TOLERANCE_SECONDS);
    const due = (await repo.listDue(ctx, latest)).filter((id) => !seen.has(id));
    if (due.length === 0) break;
    for (const id of due) {
      seen.add(id);
      counts[await retry(ctx, id)] += 1;
    }
  }
  return counts;
}

async function retry(ctx: Ctx, id: string): Promise<'ended' | 'waiting'> {
  try {
    const { status } = await processStored(ctx, id);
    return status === 'RECEIVED' ? 'waiting' : 'ended';
  } catch (error) {
    if (isUnavailable(error)) throw error;
    // One event must not keep the others waiting.
    ctx.log.error({ err: error, inboundEvent: id }, 'an inbound event could not be processed');
    return 'waiting';
  }
}
