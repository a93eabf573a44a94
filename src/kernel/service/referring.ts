import { isForeignKeyViolation } from '../db/dialect.ts';
import { invalidField } from './errors.ts';

/**
 * Runs a write of rows that refer to others, which were looked up before: on Postgres somebody may have deleted one since.
 *
 * @param field what names the others in the input
 * @param message says so, as `a product was deleted meanwhile; leave it out`
 * @throws AppError VALIDATION_ERROR when one of them does not exist any more; what `write` throws
 */
export async function referring<T>(field: string, message: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isForeignKeyViolation(error) ? invalidField(field, message) : error;
  }
}
