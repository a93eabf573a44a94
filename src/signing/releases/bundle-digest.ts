import { createHash } from 'node:crypto';
import { openBundleFile } from './bundle-file.ts';

/** Size in bytes and the 32 raw bytes of the SHA-256. */
export interface BundleDigest {
  readonly size: number;
  readonly sha256: Buffer;
  /** 64 raw bytes, what minisign signs; only when it was asked for. */
  readonly blake2b?: Buffer;
}

/** How a bundle is hashed. */
export interface DigestOptions {
  /** Whether its BLAKE2b-512 is wanted as well. */
  readonly blake2b?: boolean;
  /** Whether the digest is going to be signed: then a symbolic link is refused. */
  readonly isSigned?: boolean;
  /** Told how many of the bytes have been read, after each MiB. */
  readonly onBytes?: ((done: number) => void) | undefined;
}

/**
 * Hashes a bundle through one buffer of 1 MiB, whatever its size. The file is opened once; it must be regular, and
 * it must be the same unchanged file at the end (reliability M30).
 *
 * @throws AppError VALIDATION_ERROR when it is missing or no regular file, VERIFICATION_FAILED when it changed meanwhile
 */
export async function digestBundle(path: string, options: DigestOptions = {}): Promise<BundleDigest> {
  const file = await openBundleFile(path, !options.isSigned);
  try {
    const digest = await digestOf(file.chunks(), options);
    await file.requireUnchanged(digest.size);
    return digest;
  } finally {
    await file.close();
  }
}

/** Hashes bytes as digestBundle does those of a file. */
export async function digestOf(
  bytes: AsyncIterable<Uint8Array>,
  { blake2b = false, onBytes }: Omit<DigestOptions, 'isSigned'>,
): Promise<BundleDigest> {
  const sha256 = createHash('sha256');
  const other = blake2b ? createHash('blake2b512') : null;
  let size = 0;
  for await (const chunk of bytes) {
    sha256.update(chunk);
    other?.update(chunk);
    size += chunk.length;
    onBytes?.(size);
  }
  return { size, sha256: sha256.digest(), ...(other && { blake2b: other.digest() }) };
}
