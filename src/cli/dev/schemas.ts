import { z } from 'zod';
import { Instant } from '../shapes.ts';

/** Output of `dev clock`. */
export const ClockOutput = z.strictObject({ now: Instant, shiftSeconds: z.number() });
