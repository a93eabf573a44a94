import * as z from 'zod/mini';

const matching = (form: RegExp) => z.string().check(z.regex(form));

/** Content of `FILE.sig.json`. `file` is a bare name, so that the pair can be moved together. */
export const SignatureRecord = z.object({
  file: z.string(),
  size: z.int().check(z.minimum(0)),
  sha256: matching(/^[0-9a-f]{64}$/),
  signature: z.string(),
  algorithm: z.literal('ed25519-sha256'),
  keyId: matching(/^[0-9a-f]{16}$/),
  publicKey: z.string(),
  signedAt: z.string(),
  comment: z.nullable(z.string()),
  statement: z.optional(z.string()),
  statementSignature: z.optional(z.string()),
  /** For other updaters: the signature file of minisign in base64, and Sparkle's signature over the bytes. */
  extra: z.optional(z.object({ tauri: z.optional(z.string()), sparkle: z.optional(z.string()) })),
});
export type SignatureRecord = z.infer<typeof SignatureRecord>;

/** What a verifier reads of a signature file; licensing 6.3 promises no more than this. */
export const SignatureClaims = z.partial(SignatureRecord, {
  file: true,
  algorithm: true,
  publicKey: true,
  signedAt: true,
  comment: true,
});
export type SignatureClaims = z.infer<typeof SignatureClaims>;

/** What `release sign` answers: the record, and the path of the file that holds it. */
export interface WrittenSignature extends SignatureRecord {
  readonly signatureFile: string;
}

export type VerifyReason = 'BAD_SIGNATURE' | 'HASH_MISMATCH' | 'WRONG_KEY' | 'NO_SIGNATURE';

/** What `release verify` answers. */
export interface Verification {
  readonly valid: boolean;
  readonly reason?: VerifyReason;
  readonly sha256: string;
  /** Id of the key that was used, null when none could be read. */
  readonly keyId: string | null;
}
