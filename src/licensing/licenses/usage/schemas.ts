import { z } from 'zod';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { later } from '#kernel/sharing.ts';
import { keyedBody, nonceField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { UsageReply } from '#licensing/contract/replies.ts';

/** Body of record-usage (D51, D80); one use when no quantity is sent. */
export const RecordUsageBody = keyedBody('key', {
  feature: text(bounds.featureCode),
  quantity: optional(integer(bounds.usageQuantity.min, bounds.usageQuantity.max)),
  metadata: optional(jsonObject(bounds.metadata)),
  nonce: optional(nonceField()),
}).meta({ id: 'RecordUsageBody' });
export type RecordUsageInput = z.output<typeof RecordUsageBody>;

/** Reply of record-usage; the surface adds `success`. */
export const RecordUsageReply = later(() =>
  z
    .object({
      message: z.string(),
      usage: UsageReply,
      /** The call was counted before under this idempotency key: this is its first answer (D81). */
      idempotent: z.literal(true).optional(),
      /** What was counted then differs from what was sent now. */
      idempotentMismatch: z.literal(true).optional(),
      nonce: z.string().optional(),
    })
    .meta({ id: 'UsageRecorded' }),
);

/** What staff set a counter to: any number that both databases and JSON hold exactly. */
export const SetUsageInput = z.strictObject({ current: integer(0) });
