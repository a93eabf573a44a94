import { AppError } from '#kernel/errors.ts';
import { refuseForm } from '#kernel/http/page.ts';

/**
 * Runs what a form asks for of the version that it showed.
 *
 * @throws a refused form, which keeps what was typed, for another version
 */
export async function ifCurrent<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'PRECONDITION_FAILED') throw error;
    throw refuseForm(
      'Someone else changed this product after you opened it. Nothing was saved; check your entries and save again',
      {},
      409,
    );
  }
}
