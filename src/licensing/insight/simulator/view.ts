import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_STATUSES } from '#licensing/contract/enumerations.ts';
import { TraceEntryView } from '#licensing/licenses/validation/view.ts';

const Decision = later(() =>
  z.object({
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
  }),
);

/** What would be answered to a request, and why (licensing 6.5). */
export const SimulatedView = later(() =>
  z
    .object({
      answer: z.object({ httpStatus: z.int(), body: z.record(z.string(), z.unknown()) }),
      decision: Decision,
      evaluatedAt: instant(),
      policySource: z.enum(['license', 'product', 'none']),
    })
    .meta({ id: 'SimulatedAnswer' }),
);
