import type { Outcome, ProcessorCtx } from '../contract.ts';
import { type DeclineCode, declinedOutcome, lostOutcome } from '../outcome.ts';

interface Body {
  readonly name?: string;
  readonly message?: string;
  readonly error?: string;
  readonly details?: readonly { readonly issue?: string; readonly description?: string }[];
}

/** What the SDK throws, as far as it is looked at. */
export interface Failure {
  readonly statusCode: number | undefined;
  readonly code: string | undefined;
  readonly body: Body;
  readonly message: string;
}

function bodyOf(text: unknown): Body {
  if (typeof text !== 'string') return {};
  try {
    const body: unknown = JSON.parse(text);
    return body !== null && typeof body === 'object' ? body : {};
  } catch {
    return {};
  }
}

/** A failure of the call, of the connection or of reading the answer. */
export function paypalFailure(error: unknown): Failure {
  if (!(error instanceof Error)) throw error;
  const { statusCode, body, code, cause } = error as Error & {
    statusCode?: number;
    body?: unknown;
    code?: string;
    cause?: { code?: string };
  };
  return { statusCode, body: bodyOf(body), code: code ?? cause?.code, message: error.message };
}

/** Codes of the connection that no byte of the request was sent on. */
const NEVER_SENT: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

export const issueOf = ({ body }: Failure): string | undefined => body.details?.[0]?.issue ?? body.name;

/** As the other processors have it: refused, certainly not done, or lost. */
export function fateOf(failure: Failure): 'refused' | 'not-done' | 'lost' {
  const { statusCode, code } = failure;
  if (statusCode === undefined) return NEVER_SENT.has(code) ? 'not-done' : 'lost';
  if (statusCode === 401 || statusCode === 403 || statusCode === 429) return 'not-done';
  if (issueOf(failure) === undefined || issueOf(failure) === 'DUPLICATE_REQUEST_ID') return 'lost';
  return statusCode >= 400 && statusCode < 500 && statusCode !== 409 ? 'refused' : 'lost';
}

const DECLINES: Readonly<Record<string, DeclineCode>> = {
  INSTRUMENT_DECLINED: 'card_declined',
  PAYER_CANNOT_PAY: 'card_declined',
  PAYER_ACCOUNT_RESTRICTED: 'card_declined',
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: 'card_declined',
  TRANSACTION_REFUSED: 'card_declined',
  TRANSACTION_LIMIT_EXCEEDED: 'amount_not_chargeable',
  ORDER_EXPIRED: 'canceled',
  RESOURCE_NOT_FOUND: 'canceled',
  INVALID_RESOURCE_ID: 'canceled',
  CURRENCY_NOT_SUPPORTED: 'amount_not_chargeable',
};

export const declineCodeOf = (failure: Failure): DeclineCode =>
  DECLINES[issueOf(failure) ?? ''] ?? 'unavailable';

/** What a log may say of it. */
export function wordsOf(failure: Failure): string {
  const { statusCode, body, message } = failure;
  if (statusCode === 401 || body.error === 'invalid_client')
    return 'PayPal does not accept the client ID and secret';
  const [detail] = body.details ?? [];
  const told = [body.name, detail?.issue, detail?.description ?? body.message].filter(Boolean).join(' ');
  return `PayPal${statusCode === undefined ? '' : ` (${statusCode})`}: ${(told || message).slice(0, 300)}`;
}

/** What became of a payment whose call failed. */
export function outcomeOfFailure(
  ctx: ProcessorCtx,
  asked: { readonly paymentId: string; readonly amountCents: number; readonly currency: string },
  failure: Failure,
  rest: Partial<Outcome> = {},
): Outcome {
  const words = wordsOf(failure);
  const fate = fateOf(failure);
  if (fate === 'lost') return lostOutcome(asked, words, rest);
  const code = fate === 'refused' ? declineCodeOf(failure) : 'unavailable';
  if (code !== 'card_declined')
    ctx.log.error({ paymentId: asked.paymentId, reason: words }, 'a payment could not be made');
  return declinedOutcome(asked, code, { raw: { error: words }, ...rest });
}
