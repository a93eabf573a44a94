import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** A seat of a floating license that a machine holds now (admin.md 5.5, Floating seats). */
export const SeatView = later(() =>
  z
    .object({
      /** Of its activation. */
      id: z.string(),
      licenseId: z.string(),
      keyPrefix: z.string(),
      productId: z.string(),
      productSlug: z.string(),
      machineId: z.string(),
      machineName: z.string().nullable(),
      since: instant(),
      leaseExpiresAt: instant(),
      secondsLeft: z.int(),
    })
    .meta({ id: 'Seat' }),
);
export type SeatView = z.output<typeof SeatView>;
