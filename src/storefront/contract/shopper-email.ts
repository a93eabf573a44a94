import { email } from '#kernel/http/fields.ts';

/**
 * An address that mails of an order go to: one address, whose local part is plain ASCII, so that no mailer reads a list
 * or another header in it (reliability, mail).
 */
export const shopperEmail = () =>
  email().refine((value) => /^[\x21-\x7e]+@[^@\s]+$/.test(value), {
    error: 'must be one email address, such as ann@example.com',
  });
