import { defineErrors } from '../errors.ts';

/**
 * The codes that every JSON API of ours answers with. A service spreads them into its own table and adds what only it
 * refuses; it may give one of them another default message.
 */
export const baseErrors = {
  VALIDATION_ERROR: [400, 'Request is not valid'],
  UNAUTHORIZED: [401, 'Authentication is required'],
  INSUFFICIENT_SCOPE: [403, 'API key scope does not allow this operation'],
  CSRF_FAILED: [403, 'CSRF token is missing or wrong'],
  NOT_FOUND: [404, 'Not found'],
  CONFLICT: [409, 'The request conflicts with the current state'],
  PRECONDITION_FAILED: [412, 'The object has changed since it was read'],
  RATE_LIMITED: [429, 'Too many requests'],
  SERVER_ERROR: [500, 'Unexpected error'],
} as const;

/** Makes an error of the base table: for the kernel and for what both services share. */
export const fail = defineErrors(baseErrors);

/**
 * VALIDATION_ERROR about one field that a rule of the use case refused, after its schema took it.
 *
 * @param path of the field, as issues of a schema name it
 */
export const invalidField = (path: string, message: string) =>
  fail('VALIDATION_ERROR', `${path}: ${message}`, {
    details: { issues: [{ path, rule: 'invalid', message }] },
  });

/** CONFLICT: the state does not allow it. @param hint the command that cures it */
export const conflict = (message: string, hint?: string) =>
  fail('CONFLICT', message, { details: { ...(hint !== undefined && { hint }) } });
