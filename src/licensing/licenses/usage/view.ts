import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { later } from '#kernel/sharing.ts';

/** What a license has used. */
export const UsageView = later(() =>
  z
    .object({
      current: z.int(),
      /** The effective limit (D80); null = unlimited, and then the next two are null too. */
      max: z.int().nullable(),
      remaining: z.int().nullable(),
      percentUsed: z.number().nullable(),
      /** Quantities by feature since the last reset or set; what a set brought belongs to none. */
      byFeature: z.record(z.string(), z.int()),
    })
    .meta({ id: 'LicenseUsage' }),
);
export type UsageView = z.output<typeof UsageView>;

/** A counted call as staff see it. */
export const UsageRecordView = later(() =>
  z
    .object({
      id: z.string(),
      at: instant(),
      feature: z.string(),
      quantity: z.int(),
      counterAfter: z.int(),
      /** Grows with every reset and set. */
      epoch: z.int(),
      metadata: z.record(z.string(), z.unknown()).nullable(),
    })
    .meta({ id: 'UsageRecord' }),
);
export type UsageRecordView = z.output<typeof UsageRecordView>;

/** The counter of a license and the calls that it counted. */
export const UsagePage = z
  .object({ usage: UsageView, items: z.array(UsageRecordView), pagination: Pagination })
  .meta({ id: 'LicenseUsagePage' });
export const OneUsage = z.object({ usage: UsageView }).meta({ id: 'OneLicenseUsage' });

/** A license that counts its uses, as staff lists them. */
export const UsageRowView = later(() =>
  z
    .object({
      licenseId: z.string(),
      keyPrefix: z.string(),
      productId: z.string(),
      productSlug: z.string(),
      customerId: z.string(),
      customerEmail: z.string(),
      ...UsageView.shape,
    })
    .meta({ id: 'UsageOfLicense' }),
);
export type UsageRowView = z.output<typeof UsageRowView>;
