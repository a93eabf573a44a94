/** The rules of every action as tables: which are asked, and in which order. The first that fails decides. */
import { effectiveMaxUses, effectiveMaxVersion } from './effective.ts';
import type { Action } from './facts.ts';
import { entitlementOf, mergeFeatures } from './features.ts';
import { versionAllowed } from './max-version.ts';
import type { Subject } from './subject.ts';

/** Why an action is refused, or VALID or GRACE when it is allowed. */
export type DecisionCode =
  | 'VALID'
  | 'GRACE'
  | 'NOT_FOUND'
  | 'INVALID_KEY'
  | 'REVOKED'
  | 'SUSPENDED'
  | 'EXPIRED'
  | 'NOT_ACTIVATED'
  | 'VERSION_NOT_ALLOWED'
  | 'SEATS_EXHAUSTED'
  | 'NOT_FLOATING'
  | 'NOT_CHECKED_OUT'
  | 'USAGE_EXCEEDED'
  | 'CHURN_LIMIT'
  | 'TRIAL_REUSE'
  | 'ENTITLEMENT_MISSING'
  | 'WRONG_PRODUCT'
  | 'DATE_NOT_FUTURE';

/** null: passed. `skip`: the question does not arise. */
export type Verdict = DecisionCode | 'skip' | null;

export interface Rule {
  /** D-number or spec section. */
  source: string;
  judge(subject: Subject): Verdict;
  /** The fact that the rule looked at, for the trace. */
  text(subject: Subject): string;
}

const termText = ({ status, license: { validUntil }, graceUntil }: Subject): string => {
  if (validUntil === null) return status === 'EXPIRED' ? 'expired, without a date' : 'without an end';
  if (status !== 'EXPIRED') return `valid until ${validUntil}`;
  return `expired at ${validUntil}, ${graceUntil ? `in grace until ${graceUntil}` : 'no grace'}`;
};

const since = (what: string, at: string | null): string => (at === null ? what : `${what} since ${at}`);

const notRevoked: Rule = {
  source: 'D21',
  judge: (s) => (s.status === 'REVOKED' ? 'REVOKED' : null),
  text: ({ status, license }) => (status === 'REVOKED' ? since('revoked', license.revokedAt) : 'not revoked'),
};

const notSuspended: Rule = {
  source: 'D21',
  judge: (s) => (s.status === 'SUSPENDED' ? 'SUSPENDED' : null),
  text: ({ status, license }) =>
    status === 'SUSPENDED' ? since('suspended', license.suspendedAt) : 'not suspended',
};

const usable: Rule = {
  source: 'D36',
  judge: (s) => (s.status === 'EXPIRED' && s.graceUntil === null ? 'EXPIRED' : null),
  text: termText,
};

const active: Rule = {
  source: 'D34',
  judge: (s) => (s.status !== 'EXPIRED' ? null : s.graceUntil !== null ? 'GRACE' : 'EXPIRED'),
  text: termText,
};

const holdsActivation: Rule = {
  source: 'D22',
  judge: (s) => (s.live === null ? 'NOT_ACTIVATED' : null),
  text: (s) => (s.live === null ? 'the machine holds no live activation' : `the machine holds ${s.live.id}`),
};

const holdsLease: Rule = {
  source: 'D75',
  judge: (s) => (s.live?.kind === 'LEASE' ? null : 'NOT_CHECKED_OUT'),
  text: (s) => (s.live === null ? 'the machine holds no live lease' : `the machine holds ${s.live.id}`),
};

const versionFits: Rule = {
  source: 'D84',
  judge: (s) => (s.versionAllowed === undefined ? 'skip' : s.versionAllowed ? null : 'VERSION_NOT_ALLOWED'),
  text: (s) =>
    `maxVersion ${effectiveMaxVersion(s.license, s.facts.policy) ?? 'none'}, version ${s.facts.request.appVersion ?? 'not sent'}`,
};

const floating: Rule = {
  source: 'D72',
  judge: (s) => (s.license.type === 'FLOATING' ? null : 'NOT_FLOATING'),
  text: (s) => `type ${s.license.type}`,
};

/** A machine that holds its seat already needs neither a free one nor a first trial. */
const seatFree: Rule = {
  source: 'D27',
  judge: (s) =>
    s.live !== null ? 'skip' : s.facts.used < s.license.maxActivations ? null : 'SEATS_EXHAUSTED',
  text: (s) => `${s.facts.used} of ${s.license.maxActivations} in use`,
};

const firstTrial: Rule = {
  source: 'D70',
  judge(s) {
    if (s.license.type !== 'TRIAL' || s.live !== null) return 'skip';
    return s.facts.policy?.trialReuse === 'BLOCK' && s.facts.history?.trialSeenElsewhere
      ? 'TRIAL_REUSE'
      : null;
  },
  text: (s) =>
    `trial reuse ${s.facts.policy?.trialReuse ?? 'FLAG'}, ${s.facts.history?.trialSeenElsewhere ? '' : 'not '}seen elsewhere`,
};

const churnAllowed: Rule = {
  source: 'D63',
  judge(s) {
    const most = s.facts.policy?.maxDeactivations ?? null;
    if (most === null || s.facts.history === null) return 'skip';
    return s.facts.history.deactivationsInWindow < most ? null : 'CHURN_LIMIT';
  },
  text: (s) =>
    `${s.facts.history?.deactivationsInWindow ?? 0} deactivations, allowed ${s.facts.policy?.maxDeactivations ?? 'any number'} in ${s.facts.policy?.deactivationWindowDays ?? 0} days`,
};

const usageLeft: Rule = {
  source: 'D78',
  judge(s) {
    const max = effectiveMaxUses(s.license, s.facts.policy);
    if (max === null) return 'skip';
    return s.license.currentUses + (s.facts.request.quantity ?? 1) <= max ? null : 'USAGE_EXCEEDED';
  },
  text: (s) =>
    `used ${s.license.currentUses}, asked ${s.facts.request.quantity ?? 1}, limit ${effectiveMaxUses(s.license, s.facts.policy) ?? 'none'}`,
};

const tokensAllowed: Rule = {
  source: '6.2',
  judge: (s) => (s.facts.policy?.offlineMaxTtlSeconds === 0 ? 'NOT_FOUND' : null),
  text: (s) => `offline tokens of at most ${s.facts.policy?.offlineMaxTtlSeconds ?? 'any number of'} seconds`,
};

/** D36 demands ACTIVE; the product switch of 6.8 lets an expired license see critical releases. */
const updatable: Rule = {
  source: '6.8',
  judge(s) {
    const lapsedMay =
      s.facts.product?.criticalUpdatesForExpired === true && s.facts.request.release?.isCritical !== false;
    return s.status === 'EXPIRED' && lapsedMay ? null : active.judge(s);
  },
  text: termText,
};

const sameProduct: Rule = {
  source: 'D90',
  judge(s) {
    const { release } = s.facts.request;
    if (release === undefined) return 'skip';
    return release.productId === s.facts.product?.id ? null : 'WRONG_PRODUCT';
  },
  text: (s) => `release of ${s.facts.request.release?.productId ?? 'no product'}`,
};

const releaseVersionFits: Rule = {
  source: 'D90',
  judge(s) {
    const max = effectiveMaxVersion(s.license, s.facts.policy);
    const fits = versionAllowed(max, s.facts.request.release?.version);
    return fits === undefined ? 'skip' : fits ? null : 'VERSION_NOT_ALLOWED';
  },
  text: (s) =>
    `maxVersion ${effectiveMaxVersion(s.license, s.facts.policy) ?? 'none'}, release ${s.facts.request.release?.version ?? 'none'}`,
};

const releaseEntitled: Rule = {
  source: 'D90',
  judge(s) {
    const { release } = s.facts.request;
    if (release === undefined) return 'skip';
    const features = mergeFeatures(s.license.features, s.facts.policy?.entitlements ?? null);
    const held = release.requiredEntitlements.every((name) => entitlementOf(features, name).entitled);
    return held ? null : 'ENTITLEMENT_MISSING';
  },
  text: (s) =>
    `release needs ${s.facts.request.release?.requiredEntitlements.join(', ') || 'no entitlement'}`,
};

const notDead = [notRevoked, notSuspended] as const;

/** The questions of every action, in order. The key itself is judged before (`gate`). */
export const rules: Readonly<Record<Action, readonly Rule[]>> = {
  validate: [...notDead, usable, holdsActivation, versionFits],
  activate: [...notDead, active, firstTrial, seatFree],
  deactivate: [holdsActivation, churnAllowed],
  checkout: [floating, ...notDead, usable, firstTrial, seatFree],
  checkin: [floating, holdsLease],
  heartbeat: [...notDead, active, holdsActivation],
  'record-usage': [...notDead, usable, usageLeft],
  'validate-entitlement': [],
  'offline-token': [tokensAllowed, ...notDead, usable, holdsActivation],
  update: [...notDead, updatable, sameProduct, releaseVersionFits, releaseEntitled],
  renew: [notRevoked],
};
