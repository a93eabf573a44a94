import { decodeHex } from '#kernel/ed25519.ts';
import { fail } from '../errors.ts';

/** The 32 raw bytes of a SHA-256 in hex of either case. Throws AppError VALIDATION_ERROR. */
export function parseSha256(text: string): Buffer {
  try {
    return decodeHex(text, 32);
  } catch {
    throw fail('VALIDATION_ERROR', 'a SHA-256 must have 64 hex characters');
  }
}
