import type { Ctx } from '#kernel/context.ts';
import { observe } from '#licensing/insight/statistics/index.ts';
import { type Action, type Decision, decide, type Facts, recordable } from '../decision/index.ts';

/**
 * Decides for a caller, counts the answer (8.6), and leaves behind what the request log needs to explain it (licensing
 * 6.6). Use cases that answer a request call this; `decide` itself is for the simulator and for looking again.
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
  if (facts.license) {
    const { allowed, code, repeat } = decision;
    observe(ctx, { licenseId: facts.license.id, action, allowed, code, repeat, machineId, now });
  }
  return decision;
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
