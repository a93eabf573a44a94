import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { lock, reread } from '../locked.ts';
import { type Edited, edit, editableOf } from './edit.ts';
import { ChangePolicyBody, type ChangePolicyInput } from './schemas.ts';

/**
 * Puts a license under another policy (licensing 4.2, change-policy; D64).
 *
 * @param input policyId may be a name; expiry KEEP leaves the end, RESET makes it now + the policy's
 *   defaultDurationDays and follows D38
 * @throws AppError NOT_FOUND for license or policy; VALIDATION_ERROR, also for RESET to a policy without a duration;
 *   LICENSE_REVOKED for RESET of a revoked license
 */
export async function changePolicy(ctx: Ctx, licenseId: string, input: ChangePolicyInput): Promise<Edited> {
  const { policyId, expiry } = checkInput(ChangePolicyBody, input);
  return ctx.tx(async (ctx) => {
    const standing = await lock(ctx, licenseId);
    const policy = await policies.get(ctx, policyId);
    const license = await reread(ctx, licenseId);
    const wanted = { ...editableOf(license), policyId: policy.id };
    if (expiry === 'RESET') wanted.validUntil = addSeconds(ctx.now(), daysOf(policy) * SECONDS_PER_DAY);
    return edit(ctx, standing, license, wanted);
  });
}

function daysOf({ name, defaultDurationDays }: policies.Policy): number {
  if (defaultDurationDays !== null) return defaultDurationDays;
  const message = `RESET needs a policy with defaultDurationDays, and ${name} has none`;
  throw fail('VALIDATION_ERROR', message, {
    details: { issues: [{ path: 'expiry', rule: 'duration', message }] },
  });
}
