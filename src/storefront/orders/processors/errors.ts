import { fail } from '#kernel/service/errors.ts';

/** No payment can be taken this way now. @param message in words for whoever asked */
export const paymentUnavailable = (message: string) =>
  fail('VALIDATION_ERROR', message, { details: { reason: 'PAYMENT_UNAVAILABLE' } });

/** A notification that nobody proved to be the processor's (storefront-domain section 11). @param why in words for the log */
export const badSignature = (why: string) => fail('UNAUTHORIZED', `The signature is not valid: ${why}`);
