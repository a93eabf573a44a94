import { z } from 'zod';
import { Instant } from '../shapes.ts';

/** Body of GET /api/health, and how long the answer took. A newer server may say more. */
export const HealthOutput = z.looseObject({
  success: z.literal(true),
  status: z.literal('ok'),
  timestamp: Instant,
  version: z.string().optional(),
  ms: z.int(),
});
