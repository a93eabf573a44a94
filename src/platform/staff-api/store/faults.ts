import { AppError } from '#kernel/errors.ts';
import type { Issue } from '#kernel/http/fields.ts';

/**
 * Does something whose faults name fields as the use case calls them.
 *
 * @param names as the body spells them
 * @throws AppError the same with the names of the body
 */
export async function namingFields<T>(
  names: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.details.issues === undefined) throw error;
    const issues = (error.details.issues as Issue[]).map((issue) => ({
      ...issue,
      path: names[issue.path] ?? issue.path,
    }));
    throw new AppError(error.code, error.status, error.message, { details: { ...error.details, issues } });
  }
}
