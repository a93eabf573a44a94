import type { Policy } from '#licensing/catalog/policies/index.ts';
import type { PolicyFacts } from '#licensing/licenses/decision/index.ts';

/** A policy as decisions see it. */
export const policyFactsOf = (policy: Policy): PolicyFacts => ({
  id: policy.id,
  entitlements: policy.entitlements,
  gracePeriodSeconds: policy.gracePeriodSeconds,
  maxVersion: policy.maxVersion,
  maxUses: policy.maxUses,
  heartbeatInterval: policy.heartbeatInterval,
  defaultLeaseDuration: policy.defaultLeaseDuration,
  maxDeactivations: policy.maxDeactivations,
  deactivationWindowDays: policy.deactivationWindowDays,
  offlineMaxTtlSeconds: policy.offlineMaxTtlSeconds,
  trialReuse: policy.trialReuse,
});
