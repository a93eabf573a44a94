import { z } from 'zod';
import {
  SignatureRecord,
  type Verification,
  type WrittenSignature,
} from '#signing/releases/signature-form.ts';
import { dryRun, Instant } from '../shapes.ts';
import { ReleaseShipped } from './schemas-release.ts';

/** `Signature` of cli.md section 2: what a signature file holds, and its path. */
const Signature = z.strictObject({
  ...SignatureRecord.shape,
  signedAt: Instant,
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
  sha256: SignatureRecord.shape.sha256,
  keyId: z.nullable(SignatureRecord.shape.keyId),
}) satisfies z.ZodType<Verification>;

/** What a signature file holds. */
export const ReleaseInspectOutput = Signature;
