import { z } from 'zod';
import { instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { Block } from './record.ts';

/** An address to which nothing is sent. */
export const BlockView = later(() =>
  z
    .object({
      id: z.string(),
      address: z.string(),
      reason: z.string().describe("the mail server's response"),
      email_log_id: z.string().nullable(),
      created_at: instant(),
    })
    .meta({ id: 'EmailBlock' }),
);

export const blockView = (block: Block): z.output<typeof BlockView> => ({
  id: block.id,
  address: block.address,
  reason: block.reason,
  email_log_id: block.emailId,
  created_at: block.createdAt,
});
