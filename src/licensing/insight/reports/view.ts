import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';

/** Seats of a floating license now. */
export const SeatUseView = later(() =>
  z
    .object({
      licenseId: z.string(),
      keyPrefix: z.string(),
      customerId: z.string(),
      customerEmail: z.string(),
      productId: z.string(),
      productSlug: z.string(),
      status: z.enum(LICENSE_STATUSES),
      seatsUsed: z.int(),
      seatsTotal: z.int(),
      seatsAvailable: z.int(),
    })
    .meta({ id: 'SeatUse' }),
);
export type SeatUse = z.output<typeof SeatUseView>;

/** Whom refusals are added up for. */
export const DENIAL_GROUPS = ['license', 'customer', 'product'] as const;
export type DenialGroup = (typeof DENIAL_GROUPS)[number];

/** How often a license, a customer or a product was refused (licensing 6.10). What a group has several of is null. */
export const DenialsView = later(() =>
  z
    .object({
      licenseId: z.string().nullable(),
      keyPrefix: z.string().nullable(),
      customerId: z.string().nullable(),
      customerEmail: z.string().nullable(),
      productId: z.string().nullable(),
      productSlug: z.string().nullable(),
      /** Licenses that were refused. */
      licenses: z.int(),
      /** Their seats, together. */
      seatsTotal: z.int(),
      denied: z.int(),
      /** Days on which that happened. */
      days: z.int(),
      /** Machines that were refused, over all days. */
      distinctMachines: z.int(),
      firstDeniedAt: instant(),
      lastDeniedAt: instant(),
    })
    .meta({ id: 'Denials' }),
);
export type Denials = z.output<typeof DenialsView>;

export const SeatUsePage = z
  .object({ items: z.array(SeatUseView), pagination: Pagination })
  .meta({ id: 'SeatUsePage' });

/** With the days that were counted, in UTC. */
export const DenialsPage = later(() =>
  z
    .object({
      from: z.iso.date(),
      to: z.iso.date(),
      items: z.array(DenialsView),
      pagination: Pagination,
    })
    .meta({ id: 'DenialsPage' }),
);
