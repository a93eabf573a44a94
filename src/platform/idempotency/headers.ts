import { z } from 'zod';
import { text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

const HEADER = 'idempotency-key';

/** Header Idempotency-Key: printable ASCII; an empty one counts as absent (reliability M5). */
export const IdempotencyKeyHeaders = later(() =>
  z.object({
    [HEADER]: text({ max: 255, form: { pattern: /^[ -~]*$/, says: 'made of printable ASCII characters' } })
      .optional()
      .describe('Any unique text. The same request sent again within 24 hours gets the first answer'),
  }),
);

/** The key of a request whose headers were read by that schema; undefined without one. */
export const idempotencyKeyOf = (headers: unknown): string | undefined =>
  (headers as z.output<typeof IdempotencyKeyHeaders> | undefined)?.[HEADER] || undefined;
