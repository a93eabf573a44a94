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
  /** What has to hold, in words that people read. */
  name: string;
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

/** Asked first, because it is terminal (D21). */
const notRevoked: Rule = {
  name: 'not revoked',
  judge: (s) => (s.status === 'REVOKED' ? 'REVOKED' : null),
  text: ({ status, license }) => (status === 'REVOKED' ? since('revoked', license.revokedAt) : 'not revoked'),
};

/** Staff can take a suspension back (D21, D40). */
const notSuspended: Rule = {
  name: 'not suspended',
  judge: (s) => (s.status === 'SUSPENDED' ? 'SUSPENDED' : null),
  text: ({ status, license }) =>
    status === 'SUSPENDED' ? since('suspended', license.suspendedAt) : 'not suspended',
};

/** Grace counts (D35, D36). */
const usable: Rule = {
  name: 'not expired, or in grace',
  judge: (s) => (s.status === 'EXPIRED' && s.graceUntil === null ? 'EXPIRED' : null),
  text: termText,
};

/** Where ACTIVE is demanded, grace does not help (D34, D36). */
const active: Rule = {
  name: 'not expired',
  judge: (s) => (s.status !== 'EXPIRED' ? null : s.graceUntil !== null ? 'GRACE' : 'EXPIRED'),
  text: termText,
};

/** For FLOATING a live lease (D22). */
const holdsActivation: Rule = {
  name: 'machine is activated',
  judge: (s) => (s.live === null ? 'NOT_ACTIVATED' : null),
  text: (s) => (s.live === null ? 'the machine is not activated' : `the machine has ${s.live.id}`),
};

/** A lease that has run out is none, swept or not (D75). */
const holdsLease: Rule = {
  name: 'machine holds a seat',
  judge: (s) => (s.live?.kind === 'LEASE' ? null : 'NOT_CHECKED_OUT'),
  text: (s) => (s.live === null ? 'the machine has no active lease' : `the machine has ${s.live.id}`),
};

/** Asked only when there is a limit and a version was sent (D84). */
const versionFits: Rule = {
  name: 'version is covered',
  judge: (s) => (s.versionAllowed === undefined ? 'skip' : s.versionAllowed ? null : 'VERSION_NOT_ALLOWED'),
  text: (s) =>
    `maxVersion ${effectiveMaxVersion(s.license, s.facts.policy) ?? 'none'}, version ${s.facts.request.appVersion ?? 'not sent'}`,
};

/** Only floating licenses lend seats (D72). */
const floating: Rule = {
  name: 'license is floating',
  judge: (s) => (s.license.type === 'FLOATING' ? null : 'NOT_FLOATING'),
  text: (s) => `type ${s.license.type}`,
};

/** A machine that holds its seat already needs neither a free one nor a first trial (D27). */
const seatFree: Rule = {
  name: 'a seat is free',
  judge: (s) =>
    s.live !== null ? 'skip' : s.facts.used < s.license.maxActivations ? null : 'SEATS_EXHAUSTED',
  text: (s) => `${s.facts.used} of ${s.license.maxActivations} in use`,
};

/** Other policies flag or allow it; only BLOCK refuses (D70). */
const firstTrial: Rule = {
  name: 'no trial before',
  judge(s) {
    if (s.license.type !== 'TRIAL' || s.live !== null) return 'skip';
    return s.facts.policy?.trialReuse === 'BLOCK' && s.facts.history?.trialSeenElsewhere
      ? 'TRIAL_REUSE'
      : null;
  },
  text: (s) =>
    `trial reuse ${s.facts.policy?.trialReuse ?? 'FLAG'}, ${s.facts.history?.trialSeenElsewhere ? '' : 'not '}seen elsewhere`,
};

/** Without a limit in the policy any number is allowed (D63). */
const churnAllowed: Rule = {
  name: 'deactivations within the limit',
  judge(s) {
    const most = s.facts.policy?.maxDeactivations ?? null;
    if (most === null || s.facts.history === null) return 'skip';
    return s.facts.history.deactivationsInWindow < most ? null : 'CHURN_LIMIT';
  },
  text: (s) =>
    `${s.facts.history?.deactivationsInWindow ?? 0} deactivations, allowed ${s.facts.policy?.maxDeactivations ?? 'any number'} in ${s.facts.policy?.deactivationWindowDays ?? 0} days`,
};

/** All or nothing (D78). */
const usageLeft: Rule = {
  name: 'usage within the limit',
  judge(s) {
    const max = effectiveMaxUses(s.license, s.facts.policy);
    if (max === null) return 'skip';
    return s.license.currentUses + (s.facts.request.quantity ?? 1) <= max ? null : 'USAGE_EXCEEDED';
  },
  text: (s) =>
    `used ${s.license.currentUses}, asked ${s.facts.request.quantity ?? 1}, limit ${effectiveMaxUses(s.license, s.facts.policy) ?? 'none'}`,
};

/** A policy whose longest life is 0 allows none (licensing 6.2). */
const tokensAllowed: Rule = {
  name: 'offline tokens are allowed',
  judge: (s) => (s.facts.policy?.offlineMaxTtlSeconds === 0 ? 'NOT_FOUND' : null),
  text: (s) => `offline tokens of at most ${s.facts.policy?.offlineMaxTtlSeconds ?? 'any number of'} seconds`,
};

/** D36 demands ACTIVE; the product switch of licensing 6.8 lets an expired license see critical releases. */
const updatable: Rule = {
  name: 'not expired, or a critical update',
  judge(s) {
    const lapsedMay =
      s.facts.product?.criticalUpdatesForExpired === true && s.facts.request.release?.isCritical !== false;
    return s.status === 'EXPIRED' && lapsedMay ? null : active.judge(s);
  },
  text: termText,
};

/** Asked, as the two that follow, only when a release is named (D90). */
const sameProduct: Rule = {
  name: 'release of this product',
  judge(s) {
    const { release } = s.facts.request;
    if (release === undefined) return 'skip';
    return release.productId === s.facts.product?.id ? null : 'WRONG_PRODUCT';
  },
  text: (s) => `release of ${s.facts.request.release?.productId ?? 'no product'}`,
};

const releaseVersionFits: Rule = {
  name: 'version of the release is covered',
  judge(s) {
    const max = effectiveMaxVersion(s.license, s.facts.policy);
    const fits = versionAllowed(max, s.facts.request.release?.version);
    return fits === undefined ? 'skip' : fits ? null : 'VERSION_NOT_ALLOWED';
  },
  text: (s) =>
    `maxVersion ${effectiveMaxVersion(s.license, s.facts.policy) ?? 'none'}, release ${s.facts.request.release?.version ?? 'none'}`,
};

const releaseEntitled: Rule = {
  name: 'entitlements of the release',
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
