/** What a refusal looks like to the public: error code, text, and the details of licensing.md 6.6. */
import type { AppError } from '#kernel/errors.ts';
import { fail, type LicensingErrorCode } from '#licensing/contract/errors.ts';
import type { Decision } from './decision.ts';
import { effectiveMaxUses } from './effective.ts';
import type { Action } from './facts.ts';
import type { DecisionCode } from './rules.ts';
import { seatsOf } from './seats.ts';
import { graceEnd, later } from './status.ts';
import type { Subject } from './subject.ts';

type Answers = Partial<Record<DecisionCode, LicensingErrorCode>>;

const keyFaults: Answers = { NOT_FOUND: 'NOT_FOUND', INVALID_KEY: 'INVALID_KEY' };
const statusFaults: Answers = {
  REVOKED: 'LICENSE_REVOKED',
  SUSPENDED: 'LICENSE_SUSPENDED',
  EXPIRED: 'LICENSE_EXPIRED',
};
const everyStatus = (code: LicensingErrorCode): Answers => ({
  REVOKED: code,
  SUSPENDED: code,
  EXPIRED: code,
  GRACE: code,
});

/** Decision code to public error code (the table of licensing.md 6.5). validate never fails. */
const answers: Readonly<Record<Action, Answers>> = {
  validate: {},
  activate: {
    ...keyFaults,
    ...everyStatus('ACTIVATION_FAILED'),
    SEATS_EXHAUSTED: 'ACTIVATION_FAILED',
    TRIAL_REUSE: 'ACTIVATION_FAILED',
  },
  deactivate: { ...keyFaults, NOT_ACTIVATED: 'DEACTIVATION_FAILED', CHURN_LIMIT: 'DEACTIVATION_FAILED' },
  checkout: {
    ...keyFaults,
    ...statusFaults,
    NOT_FLOATING: 'NOT_FLOATING',
    SEATS_EXHAUSTED: 'SEAT_LIMIT_REACHED',
    TRIAL_REUSE: 'ACTIVATION_FAILED',
  },
  checkin: { ...keyFaults, NOT_FLOATING: 'NOT_FLOATING', NOT_CHECKED_OUT: 'NOT_CHECKED_OUT' },
  heartbeat: { ...keyFaults, ...everyStatus('LICENSE_INACTIVE'), NOT_ACTIVATED: 'NOT_ACTIVATED' },
  'record-usage': { ...keyFaults, ...statusFaults, USAGE_EXCEEDED: 'USAGE_LIMIT_EXCEEDED' },
  'validate-entitlement': keyFaults,
  'offline-token': { ...keyFaults, ...statusFaults, NOT_ACTIVATED: 'NOT_ACTIVATED' },
  update: {
    ...everyStatus('INVALID_LICENSE'),
    NOT_FOUND: 'INVALID_LICENSE',
    INVALID_KEY: 'INVALID_LICENSE',
    WRONG_PRODUCT: 'INVALID_LICENSE',
    VERSION_NOT_ALLOWED: 'NOT_FOUND',
    ENTITLEMENT_MISSING: 'NOT_FOUND',
  },
  renew: { ...keyFaults, REVOKED: 'LICENSE_REVOKED', DATE_NOT_FUTURE: 'VALIDATION_ERROR' },
};

/**
 * The public error code of a refusal; null when the action answers 200 (allowed, or validate, which says
 * `valid: false` instead). A combination that no rule can produce answers SERVER_ERROR.
 */
export function errorCodeOf(action: Action, code: DecisionCode, allowed: boolean): LicensingErrorCode | null {
  if (allowed || action === 'validate') return null;
  return answers[action][code] ?? 'SERVER_ERROR';
}

/** HTTP status and error code of a decision (licensing.md 6.5). */
export function publicAnswer(
  action: Action,
  decision: Decision,
): { status: number; code: LicensingErrorCode | null } {
  const code = errorCodeOf(action, decision.code, decision.allowed);
  return { status: code === null ? 200 : fail.table[code][0], code };
}

/**
 * The error to throw for a refusal, with its details and its top-level facts.
 * INVALID_LICENSE keeps its one text, so that an update client learns nothing about foreign keys (6.6).
 *
 * @throws RangeError when the decision is no refusal
 */
export function refusal(action: Action, decision: Decision): AppError {
  const { code } = publicAnswer(action, decision);
  if (code === null) throw new RangeError(`${action} was not refused`);
  const message = code === 'INVALID_LICENSE' ? undefined : decision.message;
  return fail(code, message, { details: decision.details, extra: decision.extra });
}

const expiry = (s: Subject) => {
  const expired = s.status === 'EXPIRED';
  return {
    expiredAt: expired ? s.license.validUntil : null,
    graceExpiresAt: expired ? graceEnd(s.license, s.facts.policy) : null,
  };
};

const inactive = (s: Subject) => ({
  status: s.status,
  since: {
    REVOKED: s.license.revokedAt,
    SUSPENDED: s.license.suspendedAt,
    EXPIRED: s.license.validUntil,
    ACTIVE: null,
  }[s.status],
  expiredAt: expiry(s).expiredAt,
  grace: s.graceUntil !== null,
});

const activationReason = (code: DecisionCode) => (code === 'GRACE' ? 'EXPIRED' : code);

type DetailsOf = (subject: Subject, code: DecisionCode) => Record<string, unknown>;

const details: Partial<Record<LicensingErrorCode, DetailsOf>> = {
  ACTIVATION_FAILED: (s, code) => ({
    reason: activationReason(code),
    status: s.status,
    ...expiry(s),
    current: s.facts.used,
    max: s.license.maxActivations,
    oldestActivation: (code === 'SEATS_EXHAUSTED' && s.facts.circumstances?.oldestActivation) || null,
  }),
  DEACTIVATION_FAILED: (s, code) => ({
    reason: code === 'CHURN_LIMIT' ? code : 'NO_ACTIVATION',
    allowedFrom: code === 'CHURN_LIMIT' ? allowedFrom(s) : null,
  }),
  SEAT_LIMIT_REACHED: (s) => ({
    seatsUsed: s.facts.used,
    seatsTotal: s.license.maxActivations,
    nextLeaseExpiresAt: s.facts.circumstances?.nextLeaseExpiresAt ?? null,
  }),
  LICENSE_EXPIRED: expiry,
  LICENSE_SUSPENDED: inactive,
  LICENSE_REVOKED: inactive,
  LICENSE_INACTIVE: inactive,
  NOT_ACTIVATED: (s) => ({
    status: s.status,
    activationsUsed: s.facts.used,
    maxActivations: s.license.maxActivations,
  }),
  NOT_FLOATING: (s) => ({ type: s.license.type, use: 'activate' }),
  NOT_CHECKED_OUT: (s) => ({
    lastLeaseExpiredAt:
      s.facts.circumstances?.lastLeaseExpiredAt ?? s.facts.activation?.leaseExpiresAt ?? null,
  }),
  USAGE_LIMIT_EXCEEDED: (s) => ({ ...usageFacts(s), requested: s.facts.request.quantity ?? 1 }),
};

/** Facts that the spec places beside `error` at the top level (D1, D77, D78). */
const extras: Partial<Record<LicensingErrorCode, DetailsOf>> = {
  SEAT_LIMIT_REACHED: (s) => seatsOf(s.facts.used, s.license.maxActivations),
  USAGE_LIMIT_EXCEEDED: (s) => ({ usage: usageFacts(s) }),
};

const usageFacts = (s: Subject) => ({
  current: s.license.currentUses,
  max: effectiveMaxUses(s.license, s.facts.policy),
});

function allowedFrom(s: Subject): string | null {
  const at = s.facts.history?.deactivationThatMustLapse ?? null;
  const days = s.facts.policy?.deactivationWindowDays ?? null;
  return at === null || days === null ? null : later(at, days * 86_400);
}

/** `details` and `extra` of a refused action; both empty where licensing 6.6 names none. */
export function refusalFacts(subject: Subject, code: DecisionCode) {
  const error = errorCodeOf(subject.action, code, false);
  return {
    details: (error && details[error]?.(subject, code)) || {},
    extra: (error && extras[error]?.(subject, code)) || {},
  };
}
