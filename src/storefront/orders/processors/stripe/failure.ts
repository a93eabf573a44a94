import type StripeSdk from 'stripe';
import type { Outcome, ProcessorCtx } from '../contract.ts';
import { type DeclineCode, declinedOutcome, lostOutcome } from '../outcome.ts';

type StripeError = StripeSdk.errors.StripeError;

/** What the SDK threw; anything else is a mistake of ours and is thrown on. */
export function stripeError(error: unknown): StripeError {
  if (error instanceof Error && /^Stripe\w*Error$/.test(String((error as StripeError).type)))
    return error as StripeError;
  throw error;
}

/** Codes of the connection that no byte of the request was sent on. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

const codeOf = (detail: unknown): unknown => (detail as { code?: unknown } | undefined)?.code;

/** What is certain after a call failed. */
export type Fate =
  /** Somebody said no: nothing was done. */
  | 'refused'
  /** The call never reached anybody, or nobody wanted to look at it: nothing was done. */
  | 'not-done'
  /** It may have been done. */
  | 'lost';

export function fateOf(error: StripeError): Fate {
  switch (error.type) {
    case 'StripeCardError':
    case 'StripeInvalidRequestError':
      return 'refused';
    case 'StripeAuthenticationError':
    case 'StripePermissionError':
      return 'not-done';
    case 'StripeRateLimitError':
      // Another call works on the same object.
      return error.code === 'lock_timeout' ? 'lost' : 'not-done';
    case 'StripeConnectionError':
      return NEVER_SENT.has(codeOf(error.detail)) ? 'not-done' : 'lost';
    default:
      return 'lost';
  }
}

const DECLINES: Readonly<Record<string, DeclineCode>> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  incorrect_number: 'invalid_card',
  invalid_number: 'invalid_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  authentication_required: 'authentication_failed',
  payment_intent_authentication_failure: 'authentication_failed',
  authentication_failure: 'authentication_failed',
  amount_too_small: 'amount_not_chargeable',
  amount_too_large: 'amount_not_chargeable',
};

/** @param error of a decline, as an error or as the last one of a payment */
export const declineCodeOf = (error: {
  readonly code?: string | undefined;
  readonly decline_code?: string | undefined;
}): DeclineCode => DECLINES[error.decline_code ?? ''] ?? DECLINES[error.code ?? ''] ?? 'card_declined';

/** What a log may say of it: the words of Stripe, which name no secret but a part of a key that is not valid. */
export const wordsOf = (error: StripeError): string =>
  error.type === 'StripeAuthenticationError'
    ? 'Stripe does not accept the secret key'
    : `${error.type}${error.code ? ` ${error.code}` : ''}: ${error.message.slice(0, 300)}`;

/** What became of a charge whose call failed. */
export function outcomeOfFailure(
  ctx: ProcessorCtx,
  asked: { readonly paymentId: string; readonly amountCents: number; readonly currency: string },
  error: StripeError,
  rest: Partial<Outcome>,
): Outcome {
  const words = wordsOf(error);
  const fate = fateOf(error);
  if (fate === 'lost') return lostOutcome(asked, words, rest);
  if (error.type !== 'StripeCardError')
    ctx.log.error({ paymentId: asked.paymentId, reason: words }, 'a payment could not be made');
  const code = fate === 'refused' ? declineCodeOf(error) : 'unavailable';
  return declinedOutcome(asked, code, { raw: { error: words }, ...rest });
}
