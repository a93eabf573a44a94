import { z } from 'zod';
import { dryRun, Instant, pageShape } from '../shapes.ts';
import type { ApiKeyView } from './view.ts';

/** `ApiKey` of cli.md section 2. */
export const ApiKeyShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  service: z.enum(['license', 'store']),
  scope: z.string().nullable(),
  scopes: z.array(z.string()),
  productIds: z.array(z.string()).nullable(),
  ipAllowlist: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  /** Its own limits by bucket; a maximum of 0 is none. */
  limits: z.record(z.string(), z.strictObject({ max: z.int(), windowSeconds: z.int() })).nullable(),
  expiresAt: Instant.nullable(),
  lastUsedAt: Instant.nullable(),
  revokedAt: Instant.nullable(),
  createdAt: Instant,
}) satisfies z.ZodType<ApiKeyView>;

/** `apikey show`: with the requests that limits refused in the last 24 hours. */
export const ApiKeyShown = ApiKeyShape.extend({
  refusals: z.array(
    z.strictObject({
      bucket: z.string(),
      limit: z.string(),
      count: z.int(),
      firstAt: Instant,
      lastAt: Instant,
      /** Raises the limit. */
      command: z.string(),
    }),
  ),
});
export const ApiKeyPage = pageShape(ApiKeyShape);
export const ApiKeyPlan = ApiKeyShape.extend({ dryRun });
/** The secret is there once: on a terminal, with --json or --reveal, unless --out took it. */
export const ApiKeyWithSecret = ApiKeyPlan.extend({ secret: z.string().optional() });
