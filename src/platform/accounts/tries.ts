import type { RateLimit } from '#kernel/http/rate-limit.ts';

/** How often passwords and codes may be tried, at pages and by JSON together (M13, M14). */
const tries = { max: 10, windowSeconds: 300 } as const;

/** Of one address, whatever it tries and wherever. */
export const signInTries: RateLimit = { bucket: 'sign-in', ...tries, by: 'ip' };
export const signInCodeTries: RateLimit = { bucket: 'second-factor', ...tries, by: 'ip' };

/** Of one account: whoever took over a session must not try passwords or codes in it. */
export const passwordTries: RateLimit = { bucket: 'prove-password', ...tries, by: 'account' };
export const codeTries: RateLimit = { bucket: 'second-factor', ...tries, by: 'account' };

/** Of one address: each may write a mail to somebody. */
export const resetTries: RateLimit = { bucket: 'forgot-password', max: 5, windowSeconds: 600, by: 'ip' };
