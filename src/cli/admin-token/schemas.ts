import { z } from 'zod';
import { dryRun, Instant, pageShape } from '../shapes.ts';
import type { AdminTokenView } from './view.ts';

/** `AdminToken` of cli.md section 2; `tenant` is null when it opens every tenant. */
export const AdminTokenShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  tenant: z.string().nullable(),
  prefix: z.string(),
  expiresAt: Instant.nullable(),
  lastUsedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
}) satisfies z.ZodType<AdminTokenView>;

export const AdminTokenPage = pageShape(AdminTokenShape);
export const AdminTokenPlan = AdminTokenShape.extend({ dryRun });
/** The secret is there once: on a terminal, with --json or --reveal, unless --out took it. */
export const AdminTokenWithSecret = AdminTokenPlan.extend({ secret: z.string().optional() });
