import type { Ctx } from '#kernel/context.ts';
import { compareVersions } from '#licensing/version-order.ts';
import * as queries from './queries.ts';
import { nameOf, refuse } from './refusal.ts';
import type { Release } from './release.ts';

/**
 * Sequences rise in the order in which clients meet the releases of a line (6.3): a client refuses what comes with a
 * lower one than it has seen. Withdrawn and promoted releases count, since who saw one remembers it. A newer version
 * that is published later than this one must have the higher sequence, or nobody who has this one would take it.
 *
 * @param release on the line that it shall stand on, with the sequences that it had before
 * @param from when it is offered there first, ISO 8601 UTC; asked once the others are read, because what another process
 *   published a moment ago would otherwise count as published later
 * @throws AppError CONFLICT, reason SEQUENCE_NOT_RISING
 */
export async function requireRising(
  ctx: Ctx,
  release: Release,
  sequence: number,
  from: () => string,
): Promise<void> {
  const { channel, formerSequences } = release;
  let highest = formerSequences[channel] ?? -1;
  let next: queries.Mark | null = null;
  const marks = await queries.listMarks(ctx, release);
  const offeredFrom = from();
  for (const mark of marks) {
    const comesLater = mark.offeredFrom > offeredFrom && compareVersions(mark.version, release.version) > 0;
    if (!comesLater) highest = Math.max(highest, mark.sequence);
    else if (next === null || mark.sequence < next.sequence) next = mark;
  }
  if (sequence <= highest) {
    throw refuse(
      'SEQUENCE_NOT_RISING',
      `sequence ${sequence} is not above ${highest}, the highest on channel ${channel}; sign with a higher --sequence`,
      { sequence, highest },
    );
  }
  if (next === null || sequence < next.sequence) return;
  throw refuse(
    'SEQUENCE_NOT_RISING',
    `${next.version} is offered from ${next.offeredFrom} with sequence ${next.sequence}, and would be refused by who has ` +
      `${nameOf(release)} with ${sequence}; sign with a lower --sequence`,
    { sequence, below: next.sequence },
  );
}
