import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import type { AbuseRule } from '#licensing/contract/enumerations.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import { lockStanding, suspendLocked } from '#licensing/licenses/licenses/index.ts';
import { liveMachinesOf, type Standing, subjectOf } from '#licensing/licenses/standing/index.ts';
import { publish } from '#licensing/publish.ts';
import * as repo from './repository.ts';
import { ruleOf } from './settings.ts';

/** A suspicion. Evidence is made of counters only: no address, no machine id (licensing section 3). */
export interface Suspicion {
  licenseId: string;
  rule: AbuseRule;
  score: number;
  evidence: Record<string, number>;
  /** What staff wrote; at most 500 characters. */
  note?: string | null;
}

/**
 * Flags a license, joining the caller's transaction: ABUSE_FLAGGED, and where the effective policy says so the license
 * is suspended at once (D129). Nothing happens while a flag of the rule is open, when the tenant switched the rule
 * off, and for a license in the trash.
 *
 * @returns id of the new flag, or null
 */
export async function raise(ctx: Ctx, suspicion: Suspicion): Promise<string | null> {
  const { licenseId, rule } = suspicion;
  return ctx.tx(async (ctx) => {
    const standing = await lockStanding(ctx, { id: licenseId }, '', ctx.now());
    if (!standing || !(await ruleOf(ctx, rule)).enabled) return null;
    const flagId = ctx.newId(ids.abuseFlag);
    if (!(await repo.insertFlag(ctx, { id: flagId, ...suspicion, note: suspicion.note ?? null })))
      return null;
    await tellFlag(ctx, standing, flagId, suspicion);
    await suspendIfAsked(ctx, standing, rule);
    return flagId;
  });
}

async function tellFlag(
  ctx: Ctx,
  standing: Standing,
  flagId: string,
  { rule, score, evidence }: Suspicion,
): Promise<void> {
  const { license } = standing;
  const after = { status: statusAt(license, ctx.now()), machineIds: liveMachinesOf(license.id) };
  const event = licensingEvent('ABUSE_FLAGGED', { flagId, rule, score, evidence });
  await publish(ctx, subjectOf(standing), after, event);
}

async function suspendIfAsked(ctx: Ctx, standing: Standing, rule: AbuseRule): Promise<void> {
  const policy = standing.policy && (await policies.find(ctx, standing.policy.id));
  if (policy?.abuseAction === 'SUSPEND') await suspendLocked(ctx, standing, { reason: 'ABUSE', note: rule });
}
