import { z } from 'zod';

export { ValidateReply as ValidationView } from './schemas.ts';

/** One rule of a decision, and what it looked at. */
export const TraceEntryView = z
  .object({ rule: z.string(), result: z.enum(['pass', 'fail', 'skip']), text: z.string() })
  .meta({ id: 'TraceEntry' });
