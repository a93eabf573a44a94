import { z } from 'zod';
import { tenantStatuses } from '../choices.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** `Tenant` (cli.md section 3.6). */
export const TenantShape = z.strictObject({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  hostnames: z.array(z.string()),
  status: z.enum(tenantStatuses),
  defaultKeyFormatId: z.string().nullable(),
  createdAt: Instant,
  updatedAt: Instant,
});

export const TenantPage = pageShape(TenantShape);
export const TenantPlan = TenantShape.extend({ dryRun });
