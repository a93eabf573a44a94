import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';
import { TraceEntryView } from '#licensing/licenses/validation/view.ts';

/** What a change of a policy would do to the answers of validate. */
export const PolicyImpactView = z
  .object({
    /** Licenses that the policy governs, as far as they were looked at. */
    affectedLicenses: z.int(),
    /** Machines, and licenses without one, that would be answered otherwise. */
    wouldChangeAnswer: z.int(),
    /** The changed answers by code, most frequent first. */
    transitions: z.array(z.object({ from: z.string(), to: z.string(), count: z.int() })),
    /** The first 20 of them. */
    samples: z.array(
      z.object({
        licenseId: z.string(),
        keyPrefix: z.string(),
        machineId: z.string().nullable(),
        before: z.string(),
        after: z.string(),
      }),
    ),
    /** There were more than were looked at. */
    truncated: z.boolean(),
  })
  .meta({ id: 'PolicyImpact' });
export type Impact = z.output<typeof PolicyImpactView>;

const Decision = z.object({
  allowed: z.boolean(),
  code: z.string(),
  status: z.enum(LICENSE_STATUSES).nullable(),
  message: z.string(),
  grace: z.object({ until: instant() }).nullable(),
  details: z.record(z.string(), z.unknown()),
  trace: z.array(TraceEntryView),
  versionAllowed: z.boolean().optional(),
  leaseExpiresAt: instant().optional(),
  nextHeartbeatAt: instant().optional(),
  entitlement: z.object({ valid: z.boolean(), entitled: z.boolean(), value: z.unknown() }).optional(),
  renewal: z
    .object({ status: z.enum(LICENSE_STATUSES), changes: z.boolean(), emits: z.boolean() })
    .optional(),
  flagsTrialReuse: z.literal(true).optional(),
});

/** What would be answered to a request, and why (licensing 6.5). */
export const SimulatedView = z
  .object({
    answer: z.object({ httpStatus: z.int(), body: z.record(z.string(), z.unknown()) }),
    decision: Decision,
    evaluatedAt: instant(),
    policySource: z.enum(['license', 'product', 'none']),
  })
  .meta({ id: 'SimulatedAnswer' });
