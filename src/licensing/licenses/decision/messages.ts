import type { Action, Facts } from './facts.ts';
import type { DecisionCode } from './rules.ts';

const texts: Readonly<Record<DecisionCode, string>> = {
  VALID: 'License is valid',
  GRACE: 'License has expired and is in its grace period',
  NOT_FOUND: 'License not found',
  INVALID_KEY: 'License key format is not valid',
  REVOKED: 'License has been revoked',
  SUSPENDED: 'License is suspended',
  EXPIRED: 'License has expired',
  NOT_ACTIVATED: 'License is not activated on this machine',
  VERSION_NOT_ALLOWED: 'License does not cover this application version',
  SEATS_EXHAUSTED: 'Maximum activations reached',
  NOT_FLOATING: 'License is not a floating license',
  NOT_CHECKED_OUT: 'No active checkout exists for this machine',
  USAGE_EXCEEDED: 'Usage limit reached',
  CHURN_LIMIT: 'Deactivation limit reached',
  TRIAL_REUSE: 'A trial of this product has already been used',
  ENTITLEMENT_MISSING: 'License does not include an entitlement that the release needs',
  WRONG_PRODUCT: 'Release belongs to another product',
  DATE_NOT_FUTURE: 'validUntil must be in the future',
};

/** What a code says whatever was asked; null for one of an earlier version. */
export const usualTextOf = (code: string): string | null =>
  Object.hasOwn(texts, code) ? texts[code as DecisionCode] : null;

/** Texts that differ from the code's usual one; `done` is the text of success. */
const special: Readonly<Record<Action, Partial<Record<DecisionCode | 'done', string>>>> = {
  validate: {},
  activate: { done: 'License activated' },
  deactivate: { done: 'License deactivated', NOT_ACTIVATED: 'No active activation exists for this machine' },
  checkout: { done: 'Seat checked out', SEATS_EXHAUSTED: 'All floating seats are in use' },
  checkin: { done: 'Seat checked in' },
  heartbeat: { done: 'Heartbeat recorded' },
  'record-usage': { done: 'Usage recorded' },
  'validate-entitlement': { done: 'Entitlement checked' },
  'offline-token': { done: 'Offline token issued' },
  update: {
    done: 'Update allowed',
    VERSION_NOT_ALLOWED: 'Release not found',
    ENTITLEMENT_MISSING: 'Release not found',
  },
  renew: { done: 'License renewed' },
};

/**
 * The message of a decision. For exhausted slots it holds the counts, `Maximum activations reached (3 of 3)` (D58).
 *
 * @param allowed an allowed validate speaks of the license, every other allowed action of what was done
 */
export function messageOf(action: Action, code: DecisionCode, allowed: boolean, facts: Facts): string {
  if (allowed && action !== 'validate') return special[action].done ?? texts.VALID;
  const text = special[action][code] ?? texts[code];
  if (action === 'offline-token' && code === 'NOT_FOUND' && facts.license !== null)
    return 'Offline tokens are not offered';
  if (action !== 'activate' || code !== 'SEATS_EXHAUSTED') return text;
  return `${text} (${facts.used} of ${facts.license?.maxActivations ?? 0})`;
}
