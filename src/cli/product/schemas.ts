import { z } from 'zod';
import { licenseTypes, licensingModes, productStatuses, productTypes } from '../choices.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';
import type { ProductView } from './view.ts';

/** `Product` of cli.md section 2. */
export const ProductShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  type: z.enum(productTypes),
  status: z.enum(productStatuses),
  licensingMode: z.enum(licensingModes),
  defaultLicenseType: z.enum(licenseTypes),
  defaultMaxActivations: z.int(),
  defaultDurationDays: z.int().nullable(),
  policyId: z.string().nullable(),
  keyFormatId: z.string().nullable(),
  prereleaseNeedsBeta: z.boolean(),
  criticalUpdatesForExpired: z.boolean(),
  statementRequired: z.boolean(),
  metadata: z.record(z.string(), z.json()),
  createdAt: Instant,
}) satisfies z.ZodType<ProductView>;

export const ProductPage = pageShape(ProductShape);
export const ProductPlan = ProductShape.extend({ dryRun });
