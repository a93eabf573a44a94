import { z } from 'zod';
import { later } from '#kernel/sharing.ts';

/** What a change of a policy would do to the answers of validate. */
export const PolicyImpactView = later(() =>
  z
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
    .meta({ id: 'PolicyImpact' }),
);
export type Impact = z.output<typeof PolicyImpactView>;
