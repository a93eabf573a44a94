import { defineMail } from './define.ts';

/** Shows that the settings are right. */
export const testMail = defineMail({ key: 'email_test', sample: {}, isForStaff: true, isNeeded: true });

/** A link to a new password, for staff and for customers. */
export const passwordResetMail = defineMail({
  key: 'password_reset',
  placeholders: ['reset_url', 'ip'],
  sample: { reset_url: 'https://shop.example/reset-password/abc', ip: '192.0.2.7' },
  isSecret: true,
});
