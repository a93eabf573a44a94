import { sentFields } from '#kernel/service/input.ts';
import type { PolicyUpdateInput } from '#licensing/catalog/policies/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { LicenseFacts, PolicyFacts } from '#licensing/licenses/decision/index.ts';
import type { LicenseChangesInput } from './schemas.ts';

/**
 * A license as a change would leave it.
 *
 * @param at when the change is taken to have happened, if it suspends or revokes
 */
export function withLicenseChanges<L extends LicenseFacts>(
  license: L,
  changes: Omit<LicenseChangesInput, 'policyId'>,
  at: string,
): L {
  const changed: L = { ...license, ...sentFields(changes) };
  if (changes.status === 'SUSPENDED') changed.suspendedAt = license.suspendedAt ?? at;
  if (changes.status === 'REVOKED') changed.revokedAt = license.revokedAt ?? at;
  return changed;
}

/** Rules that ask for nothing, for a license without a policy. */
const NO_RULES: PolicyFacts = {
  id: 'none',
  entitlements: null,
  gracePeriodSeconds: 0,
  maxVersion: null,
  maxUses: null,
  heartbeatInterval: null,
  defaultLeaseDuration: null,
  maxDeactivations: null,
  deactivationWindowDays: null,
  offlineMaxTtlSeconds: null,
  trialReuse: 'FLAG',
};

/**
 * A policy as a change would leave it; without one, a policy of these rules alone.
 *
 * @throws AppError VALIDATION_ERROR when a number of deactivations has no window, or the reverse
 */
export function withPolicyChanges(
  policy: PolicyFacts | null,
  changes: PolicyUpdateInput,
): PolicyFacts | null {
  const sent = sentFields(changes);
  if (Object.keys(sent).length === 0) return policy;
  const { heartbeatCullStrategy, defaultDurationDays, abuseAction, name, ...rules } = sent;
  const changed = { ...(policy ?? NO_RULES), ...rules };
  if ((changed.maxDeactivations === null) !== (changed.deactivationWindowDays === null)) {
    const message = 'maxDeactivations and deactivationWindowDays belong together';
    const issue = { path: 'changes.policy', rule: 'required', message };
    throw fail('VALIDATION_ERROR', message, { details: { issues: [issue] } });
  }
  return changed;
}
