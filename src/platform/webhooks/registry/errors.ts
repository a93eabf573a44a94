import type { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { issuesOf } from '#kernel/http/fields.ts';

/** VALIDATION_ERROR on one field. */
export const invalidField = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', 400, `${path}: ${message}`, {
    details: { issues: [{ path, rule: 'invalid', message }] },
  });

/** A webhook that is unknown, of another tenant, or of the other service: they answer alike. */
export const noWebhook = (id: string): AppError =>
  new AppError('NOT_FOUND', 404, `there is no webhook ${id}`, { details: { hint: 'appctl webhook list' } });

/** As noWebhook, for a delivery. */
export const noDelivery = (id: string): AppError =>
  new AppError('NOT_FOUND', 404, `there is no delivery ${id}`, {
    details: { hint: 'appctl webhook deliveries WEBHOOK; deliveries are kept for 30 days' },
  });

/** The state does not allow it. */
export const conflict = (message: string, hint?: string): AppError =>
  new AppError('CONFLICT', 409, message, { details: { ...(hint !== undefined && { hint }) } });

/** A request that was made on an older state than the stored one (licensing 4.1, If-Match). */
export const stale = (id: string): AppError =>
  new AppError('PRECONDITION_FAILED', 412, `${id} was changed meanwhile; read it again`);

/**
 * Reads input, for a command as well as for a request: what is stored must not depend on who asked.
 *
 * @throws AppError VALIDATION_ERROR with at most 20 `details.issues`
 */
export function readInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const issues = issuesOf(result.error.issues);
  const text = issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  throw new AppError('VALIDATION_ERROR', 400, text, { details: { issues } });
}
