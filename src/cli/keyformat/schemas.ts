import { z } from 'zod';
import { keyAlphabets, keyChecksums } from '../choices.ts';
import { dryRun, Instant, pageShape } from '../shapes.ts';

const rules = {
  prefix: z.string(),
  segments: z.int(),
  segmentLength: z.literal(4),
  alphabet: z.enum(keyAlphabets),
  checksum: z.enum(keyChecksums),
};
const samples = { samples: z.array(z.string()), entropyBits: z.int() };

/** A key format with keys as it makes them (cli.md section 3.6). */
export const KeyFormatShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  ...rules,
  createdAt: Instant,
  ...samples,
});

export const KeyFormatPage = pageShape(KeyFormatShape);
export const KeyFormatPlan = KeyFormatShape.extend({ dryRun });
export const KeyFormatPreviewShape = z.strictObject({ ...rules, ...samples });
