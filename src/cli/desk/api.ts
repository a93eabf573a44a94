import type { z } from 'zod';
import type { AppError } from '#kernel/errors.ts';
import { answers } from '#kernel/service/answers.ts';

/** An API of staff that commands work on: where its operations are, and how it refuses. */
export interface DeskApi {
  /** Path below which its operations are, with a slash at both ends. */
  readonly base: string;
  /** Kind of API keys that its operations take, by their first letters; null where they take none. */
  readonly keys: string | null;
  /** The tenant that everything below it belongs to; null for that of whoever asks. */
  readonly tenantId: string | null;
  /** What a server of any version answers with; null where every server that has the operations knows `Dry-Run`. */
  readonly rehearsalsSince: string | null;
  invalid(issues: readonly z.core.$ZodIssue[]): AppError;
  unreadable(message: string, status: number): AppError;
  /** A refusal of a use case as this API spells it. */
  refused(error: AppError): AppError;
}

/** The admin API of the license service. */
export const adminApi: DeskApi = {
  base: '/api/v1/admin/',
  keys: null,
  tenantId: null,
  rehearsalsSince: 'admin/me',
  invalid: answers.invalid,
  unreadable: answers.unreadable,
  refused: (error) => error,
};
