import { z } from 'zod';
import { licenseStatuses } from '../choices.ts';
import { Instant, pageShape } from '../shapes.ts';

/** One rule of a decision. */
export const TraceEntryShape = z.strictObject({
  rule: z.string(),
  result: z.enum(['pass', 'fail', 'skip']),
  text: z.string(),
});

/** A recorded request (licensing 6.6). */
export const RequestShape = z.strictObject({
  id: z.string(),
  at: Instant,
  method: z.string(),
  route: z.string(),
  status: z.int(),
  code: z.string().nullable(),
  /** The rate limit that refused it. */
  bucket: z.string().nullable(),
  licenseId: z.string().nullable(),
  apiKeyId: z.string().nullable(),
  ip: z.string(),
  userAgent: z.string().nullable(),
  ms: z.int(),
});

/** `license why`: what the decision looked at, and how it came about; null where nothing was decided. */
export const WhyOutput = RequestShape.extend({
  facts: z.record(z.string(), z.json()).nullable(),
  trace: z.array(TraceEntryShape).nullable(),
  /** What the limit that refused it has refused its caller; null for any other answer. */
  refusal: z
    .strictObject({
      who: z.string(),
      limit: z.string(),
      count: z.int(),
      firstAt: Instant,
      /** Raises the limit. */
      command: z.string(),
    })
    .nullable(),
});

const holder = {
  licenseId: z.string(),
  keyPrefix: z.string(),
  customerId: z.string(),
  customerEmail: z.string(),
  productId: z.string(),
  productSlug: z.string(),
};

const SeatUseShape = z.strictObject({
  ...holder,
  status: z.enum(licenseStatuses),
  seatsUsed: z.int(),
  seatsTotal: z.int(),
  seatsAvailable: z.int(),
});

const SeatDenialsShape = z.strictObject({
  ...holder,
  seatsTotal: z.int(),
  denied: z.int(),
  days: z.int(),
  distinctMachines: z.int(),
  firstDeniedAt: Instant,
  lastDeniedAt: Instant,
});

/** `license seats`, and with --denied who was refused. */
export const SeatsOutput = z.union([pageShape(SeatUseShape), pageShape(SeatDenialsShape)]);
