import type { Job } from '#kernel/capability.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { auditEvents, CUT } from './events.ts';
import { auditRetention } from './local.ts';
import * as repo from './repository.ts';

/** Rows of one transaction: whoever audits a change waits for it. */
const ROWS_AT_ONCE = 2000;
/** A run ends after so many steps; the next one goes on. */
const MOST_STEPS = 500;

/**
 * Removes the beginning of the chain for its age, and leaves a row at its end that says up to where: only that row makes
 * a missing beginning right.
 */
async function purge(ctx: Ctx): Promise<{ rows: number }> {
  const before = addSeconds(ctx.now(), -ctx.settings.get(auditRetention) * SECONDS_PER_DAY);
  let rows = 0;
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    const cut = await ctx.tx((ctx) => cutBefore(ctx, before));
    rows += cut;
    if (cut < ROWS_AT_ONCE) break;
  }
  await noteAnchor(ctx);
  return { rows };
}

async function cutBefore(ctx: Ctx, before: string): Promise<number> {
  // Held first: rows that are being written now stand behind those that are cut.
  await repo.lockHead(ctx);
  const last = await repo.findLastBefore(ctx, before, ROWS_AT_ONCE);
  if (last === null) return 0;
  const rows = await repo.removeThrough(ctx, last.seq);
  await auditEvents.tell(ctx, CUT, 'audit', { through: last.seq, hash: last.hash, rows });
  return rows;
}

/** Whoever keeps the log of the server can prove with it that the end of the chain was cut later. */
async function noteAnchor(ctx: Ctx): Promise<void> {
  const { seq, hash } = await repo.readHead(ctx);
  // Of an empty chain nothing can be cut.
  if (seq === 0) return;
  ctx.log.info({ seq, hash }, 'the audit log ends here: an anchor for audit verify');
}

export const purgeAudit: Job = {
  name: 'purge-audit',
  description:
    'Removes audit log entries past their retention period, and notes the new start of the chain in the server log',
  everySeconds: SECONDS_PER_DAY,
  waitsAfterClockStep: true,
  run: purge,
};
