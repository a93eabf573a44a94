import { AppError } from '#kernel/errors.ts';
import { FormRefusal, refuseForm } from '#kernel/http/page.ts';

/** The page of an order in the panel. */
export const orderPath = (id: string): string => `/store/orders/${encodeURIComponent(id)}`;

/** What the state of an order, or the input, does not allow is said above the form. */
export async function orRefused<T>(work: () => Promise<T>, field?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormRefusal) throw error;
    if (!(error instanceof AppError) || ![400, 404, 409].includes(error.status)) throw error;
    throw refuseForm(error.message, field === undefined ? {} : { [field]: error.message });
  }
}
