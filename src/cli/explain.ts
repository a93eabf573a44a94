/** Decisions in words, for `license validate`, `license why` and `simulate`. */
import type { TraceEntry } from '#licensing/licenses/decision/index.ts';
import type { Paint } from './frame/io.ts';
import { wrapped } from './frame/wrap.ts';
import { oneLine } from './printed-text.ts';

const signs = {
  pass: { mark: 'ok', style: 'green', after: '' },
  fail: { mark: 'no', style: 'red', after: '' },
  skip: { mark: '-', style: 'dim', after: ' (not checked)' },
} as const;

/**
 * One line per rule in the order in which they are asked: whether it held, the rule, and the fact behind that.
 * @param stream what they are written to: a fact that is longer than its line goes on below
 */
export function traceLines(trace: readonly TraceEntry[], paint: Paint, stream: NodeJS.WriteStream): string[] {
  const width = Math.max(0, ...trace.map(({ rule }) => rule.length));
  return trace.map(({ rule, result, text }) => {
    const { mark, style, after } = signs[result];
    // "the key is known" says nothing beside "key is known".
    const fact = ((text.endsWith(rule) ? '' : oneLine(text)) + after).trim();
    const title = `  ${mark.padEnd(2)}  ${rule.padEnd(width)} `;
    const shown = fact === '' ? rule : `${rule.padEnd(width)}  ${paint('dim', wrapped(stream, fact, title))}`;
    return `  ${paint(style, mark.padEnd(2))}  ${shown}`;
  });
}

/** A reason in a sentence, and the commands that may cure it. `id` is the license's. */
interface Reason {
  text: string;
  cures?: (id: string) => string[];
}

/** By decision code. */
const reasons: Readonly<Record<string, Reason>> = {
  NOT_FOUND: {
    text: 'No license of this tenant has that key, or the API key may not see it.',
    cures: () => ['appctl license find --key-stdin < key.txt'],
  },
  INVALID_KEY: { text: 'The key contains a character that no license key has: it was mistyped or cut off.' },
  REVOKED: {
    text: 'The license was revoked for good.',
    cures: (id) => [`appctl license show ${id} --events`],
  },
  SUSPENDED: { text: 'The license is suspended.', cures: (id) => [`appctl license resume ${id}`] },
  EXPIRED: {
    text: 'The license has expired, and it is not in a grace period.',
    cures: (id) => [`appctl license renew ${id} --days 365`],
  },
  GRACE: {
    text: 'The license has expired. During its grace period it keeps working where it is in use, but nothing new can start.',
    cures: (id) => [`appctl license renew ${id} --days 365`],
  },
  NOT_ACTIVATED: {
    text: 'The machine has no live activation: it was never activated, or its activation or lease has ended.',
    cures: (id) => [`appctl license machines list ${id}`],
  },
  VERSION_NOT_ALLOWED: {
    text: 'The license does not cover this version.',
    cures: (id) => [`appctl license update ${id} --max-version V`],
  },
  SEATS_EXHAUSTED: {
    text: 'Every seat is taken by another machine.',
    cures: (id) => [
      `appctl license free-seat ${id} --oldest`,
      `appctl license update ${id} --max-activations N`,
    ],
  },
  NOT_FLOATING: { text: 'Only floating licenses lend seats; this one uses activations.' },
  NOT_CHECKED_OUT: {
    text: 'The machine has no live lease, so there is nothing to give back.',
    cures: (id) => [`appctl license machines list ${id}`],
  },
  USAGE_EXCEEDED: {
    text: 'The request asked for more uses than are left.',
    cures: (id) => [`appctl license usage reset ${id}`, `appctl license update ${id} --max-uses N`],
  },
  CHURN_LIMIT: {
    text: 'Machines were moved too often; staff can still free a slot.',
    cures: (id) => [`appctl license machines list ${id}`],
  },
  TRIAL_REUSE: { text: 'The machine or the customer already had a trial of this product.' },
  ENTITLEMENT_MISSING: { text: 'The release needs an entitlement that the license lacks.' },
  WRONG_PRODUCT: { text: 'The release belongs to another product.' },
  DATE_NOT_FUTURE: { text: 'The new end must be in the future.' },
};

/** What no decision explains: by the code of the answer. */
const refusedBefore: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'The request was invalid: error.details.issues in the answer names the fields.',
  RATE_LIMITED: 'There were more requests than the rate limit allows.',
  API_KEY_REQUIRED: 'The request came without an API key.',
  INVALID_API_KEY: 'The API key that was sent does not exist.',
  API_KEY_REVOKED: 'The API key was revoked.',
  API_KEY_EXPIRED: 'The API key has expired.',
  IP_NOT_ALLOWED: 'The API key cannot be used from this address.',
  INSUFFICIENT_SCOPE: 'The scope of the API key does not allow this operation.',
  NOT_FOUND: 'The path, license or product was not found.',
  SERVER_ERROR: 'The server failed; look for this request id in its log.',
};

/** Why a decision came out as it did; empty when it was no refusal. */
export const reasonOf = (decisionCode: string): string => reasons[decisionCode]?.text ?? '';

/** Why a request was refused before anything was decided. */
export const refusalBeforeDecision = (code: string): string =>
  refusedBefore[code] ?? 'The request was refused before the license was checked.';

/** Why a request was refused although every rule was met. */
export const refusalAfterDecision = (code: string): string =>
  refusedBefore[code] ?? 'It was refused while the change was being made.';

/** Commands that may change the outcome. */
export const curesOf = (decisionCode: string, licenseId: string): string[] =>
  reasons[decisionCode]?.cures?.(licenseId) ?? [];
