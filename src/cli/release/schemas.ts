import { z } from 'zod';
import type { Verification, WrittenSignature } from '#signing/releases/signature-form.ts';
import { ReleaseShipped } from './schemas-release.ts';

const Sha256Hex = z.string().regex(/^[0-9a-f]{64}$/);
const KeyId = z.string().regex(/^[0-9a-f]{16}$/);
const dryRun = z.literal(true).optional();

/** `Signature` of cli.md section 2. */
const Signature = z.strictObject({
  file: z.string(),
  size: z.int().min(0),
  sha256: Sha256Hex,
  signature: z.string().length(88),
  algorithm: z.literal('ed25519-sha256'),
  keyId: KeyId,
  publicKey: z.string().length(44),
  signedAt: z.iso.datetime({ precision: 3 }),
  comment: z.string().nullable(),
  statement: z.string().optional(),
  statementSignature: z.string().length(88).optional(),
  extra: z
    .strictObject({ tauri: z.string().optional(), sparkle: z.string().length(88).optional() })
    .optional(),
  signatureFile: z.string(),
}) satisfies z.ZodType<WrittenSignature>;

/** One Signature, or several for several files; with --publish the release. */
export const ReleaseSignOutput = z.union([
  Signature.extend({ dryRun }),
  z.strictObject({ items: z.array(Signature), dryRun }),
  ReleaseShipped,
]);

export const ReleaseVerifyOutput = z.strictObject({
  valid: z.boolean(),
  reason: z.exactOptional(z.enum(['BAD_SIGNATURE', 'HASH_MISMATCH', 'WRONG_KEY', 'NO_SIGNATURE'])),
  sha256: Sha256Hex,
  keyId: KeyId.nullable(),
}) satisfies z.ZodType<Verification>;

/** What a signature file holds. */
export const ReleaseInspectOutput = Signature;
