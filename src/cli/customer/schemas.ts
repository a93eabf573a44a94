import { z } from 'zod';
import { licenseStatuses } from '../choices.ts';
import { pageShape } from '../shapes.ts';

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
