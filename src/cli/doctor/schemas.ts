import { z } from 'zod';

const count = z.int().min(0);

/** `Check` of cli.md section 2. With --list every status is `skip`. */
const Checked = z.strictObject({
  id: z.string().regex(/^[a-z]+\.[a-z-]+$/),
  category: z.string(),
  title: z.string(),
  status: z.enum(['ok', 'warn', 'fail', 'skip']),
  message: z.string(),
  hint: z.string().nullable(),
  page: z.string(),
  fixable: z.boolean(),
  fixed: z.boolean(),
  ms: count,
});
export type Checked = z.infer<typeof Checked>;

export const DoctorOutput = z.strictObject({
  checks: z.array(Checked),
  summary: z.strictObject({ ok: count, warn: count, fail: count, skip: count }),
});
