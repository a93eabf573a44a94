import { decide } from '#licensing/licenses/decision/decide.ts';
import type {
  Action,
  ActivationFacts,
  Facts,
  LicenseFacts,
  PolicyFacts,
} from '#licensing/licenses/decision/facts.ts';
import { publicAnswer } from '#licensing/licenses/decision/refusals.ts';

/** The moment at which the tables of the decision tests ask. */
export const NOW = '2026-06-15T12:00:00.000Z';
export const PAST = '2026-06-15T11:59:00.000Z';
export const FUTURE = '2026-07-15T12:00:00.000Z';

/** An ACTIVE perpetual license with three activations. */
export const license = (over: Partial<LicenseFacts> = {}): LicenseFacts => ({
  id: 'lic_1',
  status: 'ACTIVE',
  type: 'PERPETUAL',
  tier: 'PERSONAL',
  validUntil: null,
  maxActivations: 3,
  maxVersion: null,
  maxUses: null,
  currentUses: 0,
  features: null,
  gracePeriodSeconds: null,
  suspendedAt: null,
  revokedAt: null,
  ...over,
});

/** A policy that asks for nothing. */
export const policy = (over: Partial<PolicyFacts> = {}): PolicyFacts => ({
  id: 'pol_1',
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
  ...over,
});

/** A node activation of the asking machine. */
export const node: ActivationFacts = { id: 'act_1', kind: 'NODE', leaseExpiresAt: null, lastSeenAt: PAST };

/** A lease of the asking machine. */
export const lease = (leaseExpiresAt: string): ActivationFacts => ({
  id: 'act_1',
  kind: 'LEASE',
  leaseExpiresAt,
  lastSeenAt: PAST,
});

/** A license that nobody uses yet, asked by a machine that is not activated. */
export const facts = (over: Partial<Facts> = {}): Facts => ({
  license: license(),
  product: { id: 'prd_1', status: 'ACTIVE', licensingMode: 'STANDARD', criticalUpdatesForExpired: false },
  policy: null,
  activation: null,
  used: 0,
  request: {},
  history: null,
  defaultLeaseSeconds: 3600,
  ...over,
});

const dated = { type: 'SUBSCRIPTION', validUntil: PAST } as const;

/** The states that a license can be in, by the name of the row of licensing.md 6.5. */
export const states = {
  VALID: license(),
  REVOKED: license({ status: 'REVOKED', revokedAt: PAST }),
  SUSPENDED: license({ status: 'SUSPENDED', suspendedAt: PAST }),
  EXPIRED: license(dated),
  GRACE: license({ ...dated, gracePeriodSeconds: 3600 }),
} as const;

/** A floating license with three seats. */
export const floating = license({ type: 'FLOATING' });

/** A floating license in one of the states. */
export const floatingState = (state: keyof typeof states): LicenseFacts => ({
  ...states[state],
  type: 'FLOATING',
});

/** What an action answers: decision code, HTTP status, error code. */
export const answer = (action: Action, given: Facts) => {
  const decision = decide(action, given, NOW);
  const { status, code } = publicAnswer(action, decision);
  return [decision.code, status, code];
};
