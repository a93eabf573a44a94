import type { z } from 'zod';
import type { AppError } from '../errors.ts';
import { issuesOf } from '../http/fields.ts';
import { fail } from './errors.ts';

/** VALIDATION_ERROR for input that a schema refused; names at most 20 fields (6.6). */
export function invalidInput(issues: readonly z.core.$ZodIssue[]): AppError {
  const listed = issuesOf(issues);
  const text = listed.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  return fail('VALIDATION_ERROR', text, { details: { issues: listed } });
}
