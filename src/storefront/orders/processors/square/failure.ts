import type { Outcome, ProcessorCtx } from '../contract.ts';
import { type DeclineCode, declinedOutcome, lostOutcome } from '../outcome.ts';

/** What the SDK throws, as far as it is looked at: its classes may be loaded more than once. */
interface Failure {
  readonly message: string;
  readonly statusCode?: number;
  readonly body?: unknown;
  readonly errors?: readonly {
    readonly code?: string;
    readonly category?: string;
    readonly detail?: string;
  }[];
  readonly cause?: unknown;
}

/** What the SDK threw; anything else is a mistake of ours and is thrown on. */
export function squareFailure(error: unknown): Failure {
  const isOfSdk =
    error instanceof Error &&
    ('rawResponse' in error || /Square|Timeout/.test(error.name) || 'statusCode' in error);
  if (isOfSdk) return error as Failure;
  throw error;
}

/** Codes of the connection that no byte of the request was sent on. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Of the error itself, or of what caused it. */
function connectionCode(error: unknown, depth = 0): unknown {
  if (error === null || typeof error !== 'object' || depth > 3) return undefined;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return typeof code === 'string' ? code : connectionCode(cause, depth + 1);
}

/** As the other processors have it: refused, certainly not done, or lost. */
export function fateOf(failure: Failure): 'refused' | 'not-done' | 'lost' {
  const { statusCode, errors = [] } = failure;
  if (statusCode === undefined) return NEVER_SENT.has(connectionCode(failure)) ? 'not-done' : 'lost';
  if (statusCode === 401 || statusCode === 403 || statusCode === 429) return 'not-done';
  const isAnswer = errors.some(({ code }) => code !== undefined && code !== 'Unknown');
  if (!isAnswer || errors.some(({ code }) => code === 'IDEMPOTENCY_KEY_REUSED')) return 'lost';
  return statusCode >= 400 && statusCode < 500 ? 'refused' : 'lost';
}

const DECLINES: Readonly<Record<string, DeclineCode>> = {
  INSUFFICIENT_FUNDS: 'insufficient_funds',
  CARD_EXPIRED: 'expired_card',
  INVALID_EXPIRATION: 'expired_card',
  EXPIRATION_FAILURE: 'expired_card',
  INVALID_CARD: 'invalid_card',
  PAN_FAILURE: 'invalid_card',
  CVV_FAILURE: 'incorrect_cvc',
  VERIFY_CVV_FAILURE: 'incorrect_cvc',
  CARD_DECLINED_VERIFICATION_REQUIRED: 'authentication_failed',
  AMOUNT_TOO_HIGH: 'amount_not_chargeable',
  PAYMENT_LIMIT_EXCEEDED: 'amount_not_chargeable',
  INVALID_VALUE: 'unavailable',
  PAYMENT_AMOUNT_MISMATCH: 'unavailable',
  CURRENCY_MISMATCH: 'unavailable',
  INVALID_LOCATION: 'unavailable',
};

export const declineCodeOf = (errors: readonly { readonly code?: string | undefined }[]): DeclineCode =>
  errors.map(({ code }) => DECLINES[code ?? '']).find((code) => code !== undefined) ?? 'card_declined';

/** What a log may say of it. */
export function wordsOf(failure: Failure): string {
  const { statusCode, errors = [], message } = failure;
  if (statusCode === 401 || statusCode === 403) return 'Square does not accept the access token';
  const codes = errors.map(({ code, detail }) => [code, detail].filter(Boolean).join(' ')).join('; ');
  const place = statusCode === undefined ? '' : ` (${statusCode})`;
  return `Square${place}: ${(codes || message).slice(0, 300)}`;
}

/** What became of a charge whose call failed. */
export function outcomeOfFailure(
  ctx: ProcessorCtx,
  asked: { readonly paymentId: string; readonly amountCents: number; readonly currency: string },
  failure: Failure,
): Outcome {
  const words = wordsOf(failure);
  const fate = fateOf(failure);
  if (fate === 'lost') return lostOutcome(asked, words);
  const errors = failure.errors ?? [];
  if (!errors.some(({ category }) => category === 'PAYMENT_METHOD_ERROR'))
    ctx.log.error({ paymentId: asked.paymentId, reason: words }, 'a payment could not be made');
  const code = fate === 'refused' ? declineCodeOf(errors) : 'unavailable';
  return declinedOutcome(asked, code, { raw: { error: words } });
}
