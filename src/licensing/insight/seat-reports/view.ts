import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';

/** Whose seats a line is about. */
const Holder = z.object({
  licenseId: z.string(),
  keyPrefix: z.string(),
  customerId: z.string(),
  customerEmail: z.string(),
  productId: z.string(),
  productSlug: z.string(),
});

/** Seats of a floating license now. */
export const SeatUseView = Holder.extend({
  status: z.enum(LICENSE_STATUSES),
  seatsUsed: z.int(),
  seatsTotal: z.int(),
  seatsAvailable: z.int(),
}).meta({ id: 'SeatUse' });
export type SeatUse = z.output<typeof SeatUseView>;

/** How often a license refused a machine because all was taken (licensing 6.10). */
export const SeatDenialsView = Holder.extend({
  seatsTotal: z.int(),
  denied: z.int(),
  /** Days on which that happened. */
  days: z.int(),
  /** Machines that were refused, over all days. */
  distinctMachines: z.int(),
  firstDeniedAt: instant(),
  lastDeniedAt: instant(),
}).meta({ id: 'SeatDenials' });
export type SeatDenials = z.output<typeof SeatDenialsView>;
export type Holder = z.output<typeof Holder>;

export const SeatUsePage = z
  .object({ items: z.array(SeatUseView), pagination: Pagination })
  .meta({ id: 'SeatUsePage' });
export const SeatDenialsPage = z
  .object({ items: z.array(SeatDenialsView), pagination: Pagination })
  .meta({ id: 'SeatDenialsPage' });
