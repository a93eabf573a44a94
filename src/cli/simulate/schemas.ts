import { z } from 'zod';
import { licenseStatuses } from '../choices.ts';
import { TraceEntryShape } from '../license/schemas-explain.ts';
import { Instant } from '../shapes.ts';

const Decision = z.strictObject({
  allowed: z.boolean(),
  code: z.string(),
  status: z.enum(licenseStatuses).nullable(),
  message: z.string(),
  grace: z.strictObject({ until: Instant }).nullable(),
  details: z.record(z.string(), z.json()),
  trace: z.array(TraceEntryShape),
  versionAllowed: z.boolean().optional(),
  leaseExpiresAt: Instant.optional(),
  nextHeartbeatAt: Instant.optional(),
  entitlement: z.strictObject({ valid: z.boolean(), entitled: z.boolean(), value: z.json() }).optional(),
  renewal: z
    .strictObject({ status: z.enum(licenseStatuses), changes: z.boolean(), emits: z.boolean() })
    .optional(),
  flagsTrialReuse: z.literal(true).optional(),
});

/** What would be answered (licensing 6.5). */
export const SimulateOutput = z.strictObject({
  answer: z.strictObject({ httpStatus: z.int(), body: z.record(z.string(), z.json()) }),
  decision: Decision,
  evaluatedAt: Instant,
  policySource: z.enum(['license', 'product', 'none']),
});

/** `policy impact` (licensing 6.5). */
export const PolicyImpact = z.strictObject({
  affectedLicenses: z.int(),
  wouldChangeAnswer: z.int(),
  transitions: z.array(z.strictObject({ from: z.string(), to: z.string(), count: z.int() })),
  samples: z.array(
    z.strictObject({
      licenseId: z.string(),
      keyPrefix: z.string(),
      machineId: z.string().nullable(),
      before: z.string(),
      after: z.string(),
    }),
  ),
  truncated: z.boolean(),
});
