import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { announce } from '#licensing/publish.ts';
import {
  type Decision,
  effectiveMaxUses,
  effectiveMaxVersion,
  mergeFeatures,
  seatsOf,
  statusAt,
  usageOf,
} from '../decision/index.ts';
import {
  activationPublic,
  factsOf,
  judge,
  licensePublic,
  liveMachinesOf,
  resolveKey,
  type Standing,
  subjectOf,
} from '../standing/index.ts';
import type { ValidateInput } from './schemas.ts';

/** What validate answers, and the decision behind it with its trace when that was asked for. */
export interface Validation {
  answer: Record<string, unknown> & { valid: boolean };
  decision: Decision;
}

/**
 * Whether a machine may use a license now. Read-only: takes no lock and writes no row of the license (spec,
 * POST /api/v1/license/validate; D20 to D22, C13).
 *
 * @param options `explain` fills the decision's trace, and tells nobody: support looks, no client asks
 */
export async function validate(
  ctx: Ctx,
  input: ValidateInput,
  options: { explain?: boolean } = {},
): Promise<Validation> {
  const now = ctx.now();
  const resolved = await resolveKey(ctx, input.licenseKey, input.machineId, now);
  const facts = factsOf(resolved, { appVersion: input.appVersion }, ctx.settings.get(defaultLeaseSeconds));
  const decision = judge(ctx, 'validate', facts, now, input.machineId, { trace: options.explain === true });
  const answer = answerOf(ctx, resolved.standing, input.machineId, decision, now);
  if (input.nonce !== undefined) answer.nonce = input.nonce;
  if (resolved.standing && !options.explain && ctx.hasListeners)
    await tell(ctx, resolved.standing, decision, input, now);
  return { answer, decision };
}

/** LICENSE_VALIDATED or VALIDATION_FAILED, never both, and neither for an unknown key (D122). */
async function tell(
  ctx: Ctx,
  standing: Standing,
  decision: Decision,
  input: ValidateInput,
  now: string,
): Promise<void> {
  const { code, message } = decision;
  const asked = { machineId: input.machineId, appVersion: input.appVersion ?? null };
  const event = decision.allowed
    ? licensingEvent('LICENSE_VALIDATED', { ...asked, grace: decision.grace !== null })
    : licensingEvent('VALIDATION_FAILED', { ...asked, code, message });
  const status = statusAt(standing.license, now);
  await announce(
    ctx,
    subjectOf(standing),
    { status, machineIds: liveMachinesOf(standing.license.id) },
    event,
  );
}

/**
 * The quick check of a key, without a machine (spec, GET /api/v1/license/check/{key}).
 *
 * @throws AppError NOT_FOUND for any text that is no key of the caller's tenant (D12)
 */
export async function check(ctx: Ctx, typed: string) {
  const now = ctx.now();
  const { standing } = await resolveKey(ctx, typed, '', now);
  if (!standing) throw fail('NOT_FOUND', 'License not found');
  const { license, policy, product } = standing;
  if (ctx.origin.trail) Object.assign(ctx.origin.trail, { subject: license.id, owner: product.id });
  return {
    status: statusAt(license, now),
    type: license.type,
    tier: license.tier,
    maxVersion: effectiveMaxVersion(license, policy),
    features: mergeFeatures(license.features, policy?.entitlements ?? null),
    licensingMode: product.licensingMode,
  };
}

function answerOf(
  ctx: Ctx,
  standing: Standing | null,
  machineId: string,
  decision: Decision,
  now: string,
): Validation['answer'] {
  const answer: Validation['answer'] = {
    valid: decision.allowed,
    status: decision.status,
    code: decision.code,
    message: decision.message,
    license: null,
    activation: null,
    serverTime: now,
  };
  if (!standing) return answer;
  const { activation, license, used } = standing;
  const live = activation !== null && decision.repeat ? activation : null;
  answer.license = licensePublic(ctx, standing, used);
  answer.activation = live && activationPublic({ ...live, machineId });
  answer.licensingMode = standing.product.licensingMode;
  if (decision.grace) Object.assign(answer, { grace: true, graceExpiresAt: decision.grace.until });
  if (decision.versionAllowed !== undefined) answer.versionAllowed = decision.versionAllowed;
  if (license.type === 'FLOATING') {
    answer.floating = {
      ...seatsOf(used, license.maxActivations),
      leaseExpiresAt: live?.leaseExpiresAt ?? null,
    };
  }
  const maxUses = effectiveMaxUses(license, standing.policy);
  if (maxUses !== null || license.currentUses > 0) answer.usage = usageOf(license.currentUses, maxUses);
  return answer;
}
