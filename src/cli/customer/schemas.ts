import { z } from 'zod';
import { licenseStatuses } from '../choices.ts';
import { dryRun, pageShape } from '../shapes.ts';

/** `Customer` of cli.md section 2; orders join it with the store. */
export const CustomerShape = z.strictObject({
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  metadata: z.record(z.string(), z.json()),
  licenses: z.array(
    z.strictObject({
      id: z.string(),
      keyMasked: z.string(),
      product: z.string(),
      status: z.enum(licenseStatuses),
    }),
  ),
});

export const CustomerPage = pageShape(CustomerShape);
export const CustomerPlan = CustomerShape.extend({ dryRun });

/** `customer merge`: who stays, and how many licenses came. */
export const CustomerMerged = CustomerShape.extend({ moved: z.int(), dryRun });

/** Report of `customer erase`. */
export const CustomerErased = z.strictObject({
  id: z.string(),
  email: z.string(),
  licenses: z.int(),
  events: z.int(),
  dryRun,
});
