import { z } from 'zod';
import type { Hit, Honeypot } from '#licensing/insight/honeypots/index.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

/** A honeypot; `key` only once, when it is made. */
const HoneypotShape = z.strictObject({
  id: z.string(),
  kind: z.enum(['CANARY', 'REPLACED']),
  label: z.string().nullable(),
  productId: z.string(),
  productSlug: z.string(),
  keyPrefix: z.string(),
  keyMasked: z.string(),
  blockIpSeconds: z.int().nullable(),
  hits: z.int(),
  lastHitAt: Instant.nullable(),
  createdAt: Instant,
}) satisfies z.ZodType<Honeypot>;

export const HoneypotPage = pageShape(HoneypotShape);
export const HoneypotPlan = HoneypotShape.extend({ key: z.string().optional(), dryRun });

const HitShape = z.strictObject({
  id: z.string(),
  keyPrefix: z.string(),
  ip: z.string(),
  endpoint: z.string(),
  machineId: z.string().nullable(),
  userAgent: z.string().nullable(),
  count: z.int(),
  firstAt: Instant,
  lastAt: Instant,
}) satisfies z.ZodType<Hit>;

export const HitPage = pageShape(HitShape);
