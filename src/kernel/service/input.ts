import type { z } from 'zod';
import { invalidInput } from './invalid.ts';

/**
 * Reads the input of a use case. A request was judged by its endpoint already; a command, a job and the panel come
 * here without one, and what is stored must not depend on who asked.
 *
 * @param schema a strict schema: unknown fields are refused (D5)
 * @throws AppError VALIDATION_ERROR with at most 20 `details.issues`
 */
export function checkInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidInput(result.error.issues);
}

/** The fields that were sent: absent and undefined ones leave what is stored. */
export const sentFields = <T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
