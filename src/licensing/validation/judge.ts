import type { Ctx } from '#kernel/context.ts';
import { type Decision, decide } from './decide.ts';
import type { Action, Facts } from './facts.ts';

/**
 * Decides for a caller, and leaves behind what the request log needs to explain the answer (licensing 6.6). Use cases
 * that answer a request call this; `decide` itself is for the simulator and for looking again.
 *
 * @param now ISO 8601 UTC with milliseconds, read after the license was locked (C2)
 * @param machineId the asking machine; empty for none
 */
export function judge(
  ctx: Ctx,
  action: Action,
  facts: Facts,
  now: string,
  _machineId: string,
  options?: { trace?: boolean },
): Decision {
  const { trail } = ctx.origin;
  if (trail) {
    if (facts.license) trail.subject = facts.license.id;
    trail.explain = () => ({ facts, trace: decide(action, facts, now, { trace: true }).trace });
  }
  return decide(action, facts, now, options);
}
