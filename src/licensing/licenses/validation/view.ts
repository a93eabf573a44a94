import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { ValidateReply } from './schemas.ts';

export { ValidateReply as ValidationView };

/** One rule of a decision, and what it looked at. */
export const TraceEntryView = later(() =>
  z
    .object({ rule: z.string(), result: z.enum(['pass', 'fail', 'skip']), text: z.string() })
    .meta({ id: 'TraceEntry' }),
);

/** What a client would be answered, the key masked, and the rules in their order. */
export const ExplainedValidation = later(() =>
  ValidateReply.omit({ requestId: true, nonce: true })
    .extend({ explain: z.array(TraceEntryView) })
    .meta({ id: 'ExplainedValidation' }),
);
export type ExplainedValidation = z.output<typeof ExplainedValidation>;
