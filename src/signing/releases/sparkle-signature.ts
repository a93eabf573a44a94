import { Ed25519Error, type SigningKey } from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';
import { type BundleFile, changed, openBundleFile } from './bundle-file.ts';

/**
 * How the signed messages of licensing 6.1 start. Sparkle signs the bytes of the file themselves, so a file that is
 * such a message would become one that our clients believe.
 */
const KINDS = ['delegation/', 'release/', 'license/', 'timestamp/', 'response/', 'continuity/'];
/** Sizes of digests that are signed: SHA-256 of a bundle, BLAKE2b-512 of minisign. */
const DIGEST_BYTES = [32, 64];
const LONGEST_KIND = Math.max(...KINDS.map((kind) => kind.length));

/** What an appcast says of a bundle. */
export interface SparkleSignature {
  /** 64 bytes in base64, for `sparkle:edSignature`. */
  readonly signature: string;
  /** Bytes, for `length`. */
  readonly size: number;
}

/**
 * Signs a bundle for the updater Sparkle: pure Ed25519 over the bytes of the file, which are read twice through one
 * buffer of 1 MiB.
 *
 * @param onBytes told how many bytes have been read, up to twice the size
 * @throws AppError VALIDATION_ERROR when it is missing, no regular file, or could pass for another signed message;
 *   VERIFICATION_FAILED when it changed meanwhile
 */
export async function signSparkle(
  path: string,
  key: SigningKey,
  onBytes?: (done: number) => void,
): Promise<SparkleSignature> {
  const file = await openBundleFile(path, false);
  try {
    await refuseMessages(path, file);
    let done = 0;
    const read = async function* () {
      for await (const chunk of file.chunks()) {
        yield chunk;
        done += chunk.length;
        onBytes?.(done);
      }
    };
    const signature = await signing(path, key.signLong(read));
    await file.requireUnchanged(done / 2);
    return { signature: signature.toString('base64'), size: file.size };
  } finally {
    await file.close();
  }
}

async function refuseMessages(path: string, file: BundleFile): Promise<void> {
  const start = await startOf(file);
  const isMessage = DIGEST_BYTES.includes(file.size) || KINDS.some((kind) => start.startsWith(kind));
  if (!isMessage) return;
  throw fail('VALIDATION_ERROR', `${path} could pass for another signed message; its bytes were not signed`, {
    details: { reason: 'AMBIGUOUS_MESSAGE', path },
  });
}

async function startOf(file: BundleFile): Promise<string> {
  for await (const chunk of file.chunks()) {
    return Buffer.from(chunk.subarray(0, LONGEST_KIND)).toString('latin1');
  }
  return '';
}

async function signing(path: string, work: Promise<Buffer>): Promise<Buffer> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Ed25519Error ? changed(path) : error;
  }
}

/** The attributes of an appcast's enclosure, as Sparkle's own `sign_update` prints them. */
export const sparkleLine = ({ signature, size }: SparkleSignature): string =>
  `sparkle:edSignature="${signature}" length="${size}"`;
