import { AppError } from '#kernel/errors.ts';
import type { ShopWords } from '../shop/index.ts';

/** Reasons with a sentence of their own in the languages of the shop. */
const REASONS: ReadonlySet<unknown> = new Set([
  'OUT_OF_STOCK',
  'TOTAL_CHANGED',
  'CART_CHANGED',
  'PROMOTION_INVALID',
  'PROMOTION_EXHAUSTED',
  'GIFT_CARD_INVALID',
  'GIFT_CARD_EMPTY',
  'PAYMENT_UNAVAILABLE',
  'PAYMENT_IN_PROGRESS',
  'TOO_MANY_ATTEMPTS',
  'NOT_RENEWABLE',
]);

/** What a hook of the operator says is written by the operator, for the shopper. */
function wordsOf(t: ShopWords['t'], reason: unknown, message: string): string {
  if (reason === 'HOOK_REJECTED') return message;
  return REASONS.has(reason) ? t(`refused.${reason}`) : t('refused.other');
}

/**
 * A refusal in the language of the page. What is nobody's input, such as a failure of the program, goes on as it is.
 *
 * @param field of the form that it is about, where one is
 */
export function refusedIn({ t }: ShopWords, error: unknown, field: string | null = null): AppError {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  const { reason } = error.details;
  const text = wordsOf(t, reason, error.message);
  return new AppError('VALIDATION_ERROR', 400, text, { details: { fields: { [field ?? 'form']: text } } });
}
