/** Decisions in words, for `license validate`, `license why` and `simulate`. */
import type { TraceEntry } from '#licensing/licenses/decision/index.ts';
import type { Paint } from './frame/io.ts';
import { wrapped } from './frame/wrap.ts';
import { oneLine } from './printed-text.ts';

const signs = {
  pass: { mark: 'ok', style: 'green', after: '' },
  fail: { mark: 'no', style: 'red', after: '' },
  skip: { mark: '-', style: 'dim', after: ' (not asked)' },
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
  INVALID_KEY: { text: 'The text holds a character that no license key has: it was mistyped or cut.' },
  REVOKED: {
    text: 'The license was revoked for good.',
    cures: (id) => [`appctl license show ${id} --events`],
  },
  SUSPENDED: { text: 'The license is suspended.', cures: (id) => [`appctl license resume ${id}`] },
  EXPIRED: {
    text: 'The license has expired, and no grace period is running.',
    cures: (id) => [`appctl license renew ${id} --days 365`],
  },
  GRACE: {
    text: 'The license has expired. Its grace period lets it run where it runs, but not begin anything.',
    cures: (id) => [`appctl license renew ${id} --days 365`],
  },
  NOT_ACTIVATED: {
    text: 'The machine holds no live activation: it never activated, or its activation or lease has ended.',
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
  NOT_FLOATING: { text: 'Only a floating license lends seats; this one is activated.' },
  NOT_CHECKED_OUT: {
    text: 'The machine holds no live lease: there is nothing to give back.',
    cures: (id) => [`appctl license machines list ${id}`],
  },
  USAGE_EXCEEDED: {
    text: 'The uses that were asked for are more than are left.',
    cures: (id) => [`appctl license usage reset ${id}`, `appctl license update ${id} --max-uses N`],
  },
  CHURN_LIMIT: {
    text: 'The machine was moved too often; staff may still free its slot.',
    cures: (id) => [`appctl license machines list ${id}`],
  },
  TRIAL_REUSE: { text: 'The machine or the customer had a trial of this product before.' },
  ENTITLEMENT_MISSING: { text: 'The release needs an entitlement that the license lacks.' },
  WRONG_PRODUCT: { text: 'The release belongs to another product.' },
  DATE_NOT_FUTURE: { text: 'The new end must be in the future.' },
};

/** What no decision explains: by the code of the answer. */
const refusedBefore: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'The request itself was refused: the answer’s error.details.issues names the fields.',
  RATE_LIMITED: 'More requests came than the limit of this window allows.',
  API_KEY_REQUIRED: 'The request came without an API key.',
  INVALID_API_KEY: 'Nobody knows the API key that was sent.',
  API_KEY_REVOKED: 'The API key was revoked.',
  API_KEY_EXPIRED: 'The API key has expired.',
  IP_NOT_ALLOWED: 'The API key may not be used from this address.',
  INSUFFICIENT_SCOPE: 'The scope of the API key does not allow this operation.',
  NOT_FOUND: 'Nothing is known by that name here: a path, a license, or a product.',
  SERVER_ERROR: 'The server failed; its log holds the error under this request id.',
};

/** Why a decision came out as it did; empty when it was no refusal. */
export const reasonOf = (decisionCode: string): string => reasons[decisionCode]?.text ?? '';

/** Why a request was refused before anything was decided. */
export const refusalBeforeDecision = (code: string): string =>
  refusedBefore[code] ?? 'The request was refused before anything was decided.';

/** Why a request was refused although every rule was met. */
export const refusalAfterDecision = (code: string): string =>
  refusedBefore[code] ?? 'It was refused while the decision was carried out.';

/** Commands that may change the outcome. */
export const curesOf = (decisionCode: string, licenseId: string): string[] =>
  reasons[decisionCode]?.cures?.(licenseId) ?? [];
