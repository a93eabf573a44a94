import { createHash } from 'node:crypto';
import { Point, utils } from '@noble/ed25519';

/** Order of the group that the base point generates (RFC 8032, 5.1). */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;

/**
 * Pure Ed25519 over a message that is read in chunks, which node:crypto cannot do: it hashes the message twice
 * (RFC 8032, 5.1.6). The result is that of `sign` over the whole message.
 *
 * @param seed 32 raw bytes
 * @param read gives the bytes of the message from their beginning; it is asked twice
 * @returns 64 raw bytes, or null when the two times gave different bytes: two answers to one nonce would give the key
 *   away
 */
export async function signLong(seed: Buffer, read: () => AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const { prefix, scalar, point, pointBytes } = await utils.getExtendedPublicKeyAsync(seed);
  const first = await hashAfter([prefix], read());
  const r = first.scalar;
  const commitment = Point.BASE.multiply(r);
  const nonce = commitment.toBytes();
  const second = await hashAfter([nonce, pointBytes], read());
  if (!first.sha256.equals(second.sha256)) return null;
  const k = second.scalar;
  const s = (r + k * scalar) % ORDER;
  // A bit that memory flipped in between would make a signature that tells of the key.
  if (!Point.BASE.multiply(s).equals(commitment.add(point.multiply(k)))) {
    throw new Error('an Ed25519 signature came out wrong');
  }
  return Buffer.concat([nonce, littleEndian(s)]);
}

/** SHA-512 of some bytes and the message as a scalar, and SHA-256 of the message alone. */
async function hashAfter(
  start: readonly Uint8Array[],
  message: AsyncIterable<Uint8Array>,
): Promise<{ scalar: bigint; sha256: Buffer }> {
  const sha512 = createHash('sha512');
  const sha256 = createHash('sha256');
  for (const bytes of start) sha512.update(bytes);
  for await (const chunk of message) {
    sha512.update(chunk);
    sha256.update(chunk);
  }
  const hex = sha512.digest().reverse().toString('hex');
  return { scalar: BigInt(`0x${hex}`) % ORDER, sha256: sha256.digest() };
}

const littleEndian = (scalar: bigint): Buffer =>
  Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
