import type { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';

/** A webhook that is unknown, of another tenant, or of the other service: they answer alike. */
export const noWebhook = (id: string): AppError =>
  fail('NOT_FOUND', `webhook ${id} was not found`, { details: { hint: 'appctl webhook list' } });

/** As noWebhook, for a delivery. */
export const noDelivery = (id: string): AppError =>
  fail('NOT_FOUND', `delivery ${id} was not found`, {
    details: { hint: 'appctl webhook deliveries WEBHOOK; deliveries are kept for 30 days' },
  });
