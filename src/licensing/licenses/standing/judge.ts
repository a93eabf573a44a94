import type { Ctx } from '#kernel/context.ts';
import { type Action, type Decision, decide, type Facts, recordable } from '../decision/index.ts';

/** A decision about a known license, as those who see the answer find it. */
export interface Judged {
  licenseId: string;
  action: Action;
  allowed: boolean;
  /** Decision code. */
  code: string;
  /** The machine held an activation before. */
  repeat: boolean;
  /** Empty for none. */
  machineId: string;
  /** ISO 8601 UTC with milliseconds. */
  now: string;
}

/** What was decided about a known license in the request of a ctx; null when nothing was. */
export const judgedIn = ({ origin }: Pick<Ctx, 'origin'>): Judged | null =>
  (origin.trail?.left as Judged | null | undefined) ?? null;

/**
 * Decides for a caller, and leaves behind what the statistics count of it (8.6) and what the request log needs to
 * explain it (licensing 6.6). Use cases that answer a request call this; `decide` itself is for the simulator and for looking again.
 *
 * @param now ISO 8601 UTC with milliseconds, read after the license was locked (C2)
 * @param machineId the asking machine; empty for none
 */
export function judge(
  ctx: Ctx,
  action: Action,
  facts: Facts,
  now: string,
  machineId: string,
  options?: { trace?: boolean },
): Decision {
  const decision = decide(action, facts, now, options);
  leaveTrail(ctx, action, facts, now, decision);
  if (ctx.origin.trail) ctx.origin.trail.left = judged(action, facts, now, machineId, decision);
  return decision;
}

function judged(
  action: Action,
  { license }: Facts,
  now: string,
  machineId: string,
  { allowed, code, repeat }: Decision,
): Judged | null {
  return license && { licenseId: license.id, action, allowed, code, repeat, machineId, now };
}

function leaveTrail(ctx: Ctx, action: Action, facts: Facts, now: string, decision: Decision): void {
  const { trail } = ctx.origin;
  if (!trail) return;
  // An attempt before this one, which the database gave up, may have come out otherwise.
  delete trail.subject;
  delete trail.owner;
  if (facts.license) {
    trail.subject = facts.license.id;
    trail.tenantId = ctx.tenantId;
    if (facts.product) trail.owner = facts.product.id;
  }
  // validate-entitlement refuses nobody: its denial is `valid: false`, and the license's status is the reason (D82).
  const isUnusable = decision.entitlement?.valid === false;
  const code = isUnusable ? (decision.status ?? decision.code) : decision.code;
  trail.decision = { code, denied: isUnusable || !decision.allowed };
  trail.explain = () => ({
    facts: recordable(action, facts, code, now),
    trace: decide(action, facts, now, { trace: true }).trace,
  });
}
