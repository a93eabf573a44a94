import { createHash } from 'node:crypto';
import { damaged } from './faults.ts';

/** A frame that zstd skips: magic number and length, then the SHA-256 of everything before it. */
const HEAD = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 32, 0, 0, 0]);
const TRAILER_BYTES = HEAD.length + 32;

/** The last bytes of an archive: they tell any altered byte, wherever it is. */
export const trailerOf = (digest: Uint8Array): Buffer => Buffer.concat([HEAD, digest]);

/**
 * Passes on an archive without its last bytes, which must fit the others.
 *
 * @throws AppError VERIFICATION_FAILED at the end of one that was altered or cut off
 */
export async function* withoutTrailer(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const sum = createHash('sha256');
  let kept = Buffer.alloc(0);
  for await (const chunk of source) {
    const all = Buffer.concat([kept, chunk]);
    const ready = all.subarray(0, Math.max(0, all.length - TRAILER_BYTES));
    kept = Buffer.from(all.subarray(ready.length));
    if (ready.length === 0) continue;
    sum.update(ready);
    yield ready;
  }
  if (!kept.equals(trailerOf(sum.digest())))
    throw damaged('the backup was altered or is incomplete: its checksum does not match');
}
