import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { ReturnReason } from './record.ts';

/** A reason as customers choose it. */
export const ReasonView = later(() =>
  z
    .object({
      id: z.string(),
      label: z.string(),
      requires_note: z.boolean(),
      requires_photo: z.boolean(),
    })
    .meta({ id: 'ReturnReason' }),
);

export const reasonView = (one: ReturnReason): z.output<typeof ReasonView> => ({
  id: one.id,
  label: one.label,
  requires_note: one.requiresNote,
  requires_photo: one.requiresPhoto,
});

/** A reason as staff see it. */
export const StoreReasonView = later(() =>
  z
    .object({
      ...ReasonView.shape,
      active: z.boolean(),
      position: count(),
      created_at: z.string(),
      updated_at: z.string(),
    })
    .meta({ id: 'StoreReturnReason' }),
);

export const storeReasonView = (one: ReturnReason): z.output<typeof StoreReasonView> => ({
  ...reasonView(one),
  active: one.isActive,
  position: one.position,
  created_at: one.createdAt,
  updated_at: one.updatedAt,
});
