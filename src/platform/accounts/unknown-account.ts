import type { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';

/** One text for an account that does not exist and for one that the actor may not know of. */
export const unknownAccount = (idOrEmail: string): AppError =>
  fail('NOT_FOUND', `staff account ${idOrEmail} was not found`, {
    details: { hint: 'appctl admin user list' },
  });
