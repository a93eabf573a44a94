import { z } from 'zod';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';

const MAX_BLOCK_SECONDS = 86_400;

/** Input that makes a canary key (licensing 4.2, POST /honeypots). Strict (D5). */
export const HoneypotCreate = later(() =>
  z.strictObject({
    productId: text({ min: 1, max: 63 }),
    label: text({ min: 1, max: 100 }),
    keyFormatId: optional(text({ min: 1, max: 100 })),
    blockIpSeconds: optional(integer(0, MAX_BLOCK_SECONDS)),
  }),
);
export type HoneypotCreateInput = z.input<typeof HoneypotCreate>;
