import { AppError } from '#kernel/errors.ts';
import { CliError } from '../frame/errors.ts';

/** For `catch`: null in place of what a desk does not find; every other error goes on. */
export function unlessMissing(error: unknown): null {
  if ((error instanceof AppError || error instanceof CliError) && error.code === 'NOT_FOUND') return null;
  throw error;
}
