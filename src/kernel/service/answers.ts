import { AppError } from '../errors.ts';
import type { Surface } from '../http/surface.ts';
import { failureBody, successBody } from './envelope.ts';
import { fail } from './errors.ts';
import { invalidInput } from './invalid.ts';

/** How the license service answers, through its public API and through its admin API alike (licensing 4.1). */
export const answers = {
  success: successBody,
  failure: failureBody,
  invalid: invalidInput,
  unreadable: (message, status) =>
    new AppError('VALIDATION_ERROR', status, message, {
      details: { issues: [{ path: '', rule: 'body', message }] },
    }),
  unmet: (header, message, status) =>
    new AppError('VALIDATION_ERROR', status, message, {
      details: { issues: [{ path: header, rule: 'header', message }] },
    }),
  rateLimited: (bucket, limit, resetSeconds) =>
    fail('RATE_LIMITED', `Too many requests: at most ${limit} per window, try again in ${resetSeconds} s`, {
      details: { bucket, limit, resetSeconds },
    }),
  notFound: () => fail('NOT_FOUND', 'No such endpoint'),
  unexpected: () => fail('SERVER_ERROR'),
} as const satisfies Partial<Surface>;
