import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

/** What became of one line of an import. */
export const LineOutcomeView = later(() =>
  z
    .object({
      /** Place among the lines that were sent, from 0. */
      index: count(),
      /** Its slug, or else its title. */
      name: z.string().nullable(),
      result: z.enum(['created', 'updated', 'unchanged', 'failed']),
      /** What of it could not be done, such as a product that does not exist. */
      warnings: z.array(z.string()).optional(),
      error: z
        .object({
          error_code: z.string(),
          message: z.string(),
          details: z.record(z.string(), z.unknown()),
        })
        .optional(),
    })
    .meta({ id: 'ImportedLine' }),
);
export type LineOutcome = z.output<typeof LineOutcomeView>;
