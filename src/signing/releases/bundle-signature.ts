import { basename } from 'node:path';
import { fail } from '../errors.ts';
import { type BundleDigest, digestBundle } from './bundle-digest.ts';
import { type MinisignSigner, signMinisign } from './minisign-signature.ts';
import { parseSha256 } from './sha256-text.ts';
import { type SignatureFormat, signaturePath, writeSignatureFile } from './signature-file.ts';
import type { SignatureRecord, WrittenSignature } from './signature-form.ts';
import { signSparkle } from './sparkle-signature.ts';
import { type StatementInput, signStatement } from './statement.ts';

/** How bundles are signed; the same for all files of one call. */
export interface SignOptions {
  readonly key: MinisignSigner;
  /** Time of signing, ISO 8601 UTC. */
  readonly now: string;
  readonly format: SignatureFormat;
  /** Whether FILE.sig.json holds what Tauri's updater checks as well. */
  readonly tauri?: boolean;
  /** The same for Sparkle, which means that the bundle is read two more times. */
  readonly sparkle?: boolean;
  readonly comment: string | null;
  /** Digest that the bundle must have, hex; null = any. */
  readonly expectedSha256: string | null;
  /** Written when product and version are known; null = none. */
  readonly statement: StatementInput | null;
  /** Folder of the signature file; null = beside the bundle. */
  readonly outDir: string | null;
  readonly force: boolean;
  readonly dryRun: boolean;
  /** Told how many bytes have been read, after each MiB: up to three times the size for sparkle. */
  readonly onBytes?: ((done: number) => void) | undefined;
}

/**
 * Signs a bundle and writes its signature file: pure Ed25519 over the 32 raw bytes of the SHA-256 (licensing D96), or
 * in the form of another updater. Needs no server and no database; memory does not grow with the file.
 *
 * @returns the Signature of cli 2; `extra` holds what another updater checks
 * @throws AppError VALIDATION_ERROR (no regular file, bad expected digest, for sparkle a file that could pass for
 *   another message), CONFLICT (foreign signature file), VERIFICATION_FAILED (changed meanwhile, another digest than
 *   expected)
 */
export async function signBundle(path: string, options: SignOptions): Promise<WrittenSignature> {
  const expected = options.expectedSha256 === null ? null : parseSha256(options.expectedSha256);
  const wantsMinisign = options.tauri === true || options.format === 'minisign';
  const { onBytes } = options;
  const digest = await digestBundle(path, { blake2b: wantsMinisign, isSigned: true, onBytes });
  if (expected !== null && !expected.equals(digest.sha256)) {
    throw fail('VERIFICATION_FAILED', `${path} does not have the expected SHA-256`, {
      details: { reason: 'HASH_MISMATCH', sha256: digest.sha256.toString('hex') },
    });
  }
  const record = { ...recordOf(path, digest, options), ...(await extraOf(path, digest, options)) };
  const signatureFile = signaturePath(path, options.format, options.outDir);
  return { ...(await writeSignatureFile(signatureFile, record, options)), signatureFile };
}

/** Bytes that signing a file of a size reads: what `onBytes` counts up to. */
export const bytesToRead = (size: number, format: SignatureFormat, sparkle = false): number =>
  size * (wantsSparkle({ format, sparkle }) ? 3 : 1);

const wantsSparkle = ({ format, sparkle }: Pick<SignOptions, 'format' | 'sparkle'>): boolean =>
  sparkle === true || format === 'sparkle';

async function extraOf(
  path: string,
  digest: BundleDigest,
  options: SignOptions,
): Promise<Pick<SignatureRecord, 'extra'>> {
  const { key, comment, onBytes } = options;
  const { blake2b, sha256 } = digest;
  const bundle = blake2b && { file: basename(path), blake2b, sha256, comment };
  const after = (done: number) => onBytes?.(digest.size + done);
  const extra = {
    ...(bundle && { tauri: Buffer.from(signMinisign(bundle, key)).toString('base64') }),
    ...(wantsSparkle(options) && { sparkle: (await signSparkle(path, key, after)).signature }),
  };
  return Object.keys(extra).length === 0 ? {} : { extra };
}

function recordOf(path: string, digest: BundleDigest, options: SignOptions): SignatureRecord {
  const { key, statement, now } = options;
  return {
    file: basename(path),
    size: digest.size,
    sha256: digest.sha256.toString('hex'),
    signature: key.sign(digest.sha256).toString('base64'),
    algorithm: 'ed25519-sha256',
    keyId: key.keyId,
    publicKey: key.publicKey.toString('base64'),
    signedAt: now,
    comment: options.comment,
    ...(statement === null ? {} : signStatement(statement, digest, key, now)),
  };
}
