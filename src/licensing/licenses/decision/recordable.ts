import type { Action, Facts, LicenseFacts, PolicyFacts } from './facts.ts';

/** The facts of a decision as the request log keeps them; JSON. */
export type RecordedFacts = ReturnType<typeof recordable>;

/**
 * What may be kept of a decision's facts (licensing 6.6): ids, dates, counters and rules. Field by field, because the
 * objects that come in carry more than their types say: names of machines and customers have no place in a log. Of
 * the entitlements, which may hold anything, only those are kept that the request asked for.
 *
 * @param code of the decision
 * @param now ISO 8601 UTC with milliseconds, the moment that was decided for
 */
export function recordable(action: Action, facts: Facts, code: string, now: string) {
  const { license, product, policy, activation, request, history } = facts;
  const asked = request.entitlement === undefined ? [] : [request.entitlement];
  const names = [...asked, ...(request.release?.requiredEntitlements ?? [])];
  return {
    action,
    code,
    at: now,
    malformedKey: facts.malformedKey === true,
    license: license && recordableLicense(license, names),
    product: product && {
      id: product.id,
      status: product.status,
      licensingMode: product.licensingMode,
      criticalUpdatesForExpired: product.criticalUpdatesForExpired,
    },
    policy: policy && recordablePolicy(policy, names),
    activation: activation && {
      id: activation.id,
      kind: activation.kind,
      leaseExpiresAt: activation.leaseExpiresAt,
      lastSeenAt: activation.lastSeenAt,
    },
    used: facts.used,
    request: {
      appVersion: request.appVersion ?? null,
      quantity: request.quantity ?? null,
      leaseDuration: request.leaseDuration ?? null,
      entitlement: request.entitlement ?? null,
      validUntil: request.validUntil ?? null,
      release: request.release ?? null,
    },
    history: history && {
      deactivationsInWindow: history.deactivationsInWindow,
      deactivationThatMustLapse: history.deactivationThatMustLapse,
      trialSeenElsewhere: history.trialSeenElsewhere,
    },
  };
}

const recordableLicense = (license: LicenseFacts, names: readonly string[]) => ({
  id: license.id,
  status: license.status,
  type: license.type,
  tier: license.tier,
  validUntil: license.validUntil,
  maxActivations: license.maxActivations,
  maxVersion: license.maxVersion,
  maxUses: license.maxUses,
  currentUses: license.currentUses,
  features: only(license.features, names),
  gracePeriodSeconds: license.gracePeriodSeconds,
  suspendedAt: license.suspendedAt,
  revokedAt: license.revokedAt,
});

const recordablePolicy = (policy: PolicyFacts, names: readonly string[]) => ({
  id: policy.id,
  entitlements: only(policy.entitlements, names),
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

/** A single value may be as long as the bounds of features allow; a log needs to know that it is there. */
const LONGEST_VALUE = 200;

function only(features: LicenseFacts['features'], names: readonly string[]): [string, unknown][] {
  return names
    .filter((name) => features !== null && Object.hasOwn(features, name))
    .map((name) => {
      const value = features?.[name];
      const isLong = value !== undefined && JSON.stringify(value).length > LONGEST_VALUE;
      return [name, isLong ? '(too long to keep)' : value];
    });
}
