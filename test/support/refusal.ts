// How tests speak of refused use cases.
import { AppError } from '#kernel/errors.ts';

/**
 * Awaits something that must be refused.
 * @returns the AppError that it was refused with
 * @throws Error when it succeeds or fails with anything else
 */
export async function refusalOf(promise: Promise<unknown>): Promise<AppError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The code that something was refused with. */
export const codeOf = async (promise: Promise<unknown>): Promise<string> => (await refusalOf(promise)).code;

/** The paths that a VALIDATION_ERROR names, each once. */
export async function faultsOf(promise: Promise<unknown>): Promise<string[]> {
  const { code, details } = await refusalOf(promise);
  if (code !== 'VALIDATION_ERROR') throw new Error(`refused with ${code}`);
  return [...new Set((details.issues as { path: string }[]).map((issue) => issue.path))];
}
