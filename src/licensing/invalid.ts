import type { z } from 'zod';
import type { AppError } from '#kernel/errors.ts';
import { fail } from './errors.ts';

const MAX_ISSUES = 20;

/** VALIDATION_ERROR for input that a schema refused; names at most 20 fields (6.6). */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): AppError {
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, code, message }) => ({ path: path.join('.'), rule: code, message }));
  const text = listed.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  return fail('VALIDATION_ERROR', text, { details: { issues: listed } });
}
