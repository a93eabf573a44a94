import { randomBytes, randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(4096);
let unused = 0;

/**
 * Bytes of the operating system's CSPRNG. They are drawn in blocks, since a call of it costs more than what most callers
 * do with it; a byte is given to one caller only, and forgotten here.
 */
export function secureRandom(length: number): Buffer {
  if (length > pool.length) return randomBytes(length);
  if (unused < length) {
    randomFillSync(pool);
    unused = pool.length;
  }
  unused -= length;
  const bytes = Buffer.from(pool.subarray(unused, unused + length));
  pool.fill(0, unused, unused + length);
  return bytes;
}
