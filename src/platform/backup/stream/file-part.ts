import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { storedText } from '#kernel/storage/kept-notes.ts';
import { damaged } from '../faults.ts';
import { type Opening, seal, unseal } from '../sealing.ts';
import { type FileName, spanOf } from './file-names.ts';

const MAGIC = 'appctl-stream-file 1\n';
const MOST_HEAD_BYTES = 1024;
/** Others get their turn after so many bytes were encrypted. */
const SLICE_BYTES = 64 * 1024;

/** A line that names the format and one that names the bytes; they follow, encrypted if there is somebody to encrypt to. */
const headOf = (file: FileName, part: number): Buffer => {
  const { sha256, size } = file;
  return Buffer.from(`${MAGIC}${JSON.stringify({ file: storedText(file), sha256, size, part })}\n`);
};

/**
 * A part of a file as it is stored.
 *
 * @param bytes of the part
 */
export async function packPart(
  file: FileName,
  part: number,
  bytes: AsyncIterable<Uint8Array>,
  recipient: string | null,
): Promise<AsyncIterable<Uint8Array>> {
  const source = async function* (): AsyncGenerator<Uint8Array> {
    yield headOf(file, part);
    for await (const chunk of bytes)
      for (let start = 0; start < chunk.byteLength; start += SLICE_BYTES) {
        // A chunk is good until the next one is asked for: its buffer is used again.
        yield Buffer.from(chunk.subarray(start, start + SLICE_BYTES));
        await turn();
      }
  };
  return recipient === null ? source() : seal(Readable.from(source()), { recipients: [recipient] });
}

/** What encryption adds, at most. */
const sealedBytes = (bytes: number): number => bytes + Math.ceil(bytes / 65_536) * 16 + 4096;

/**
 * The bytes of a part that was stored.
 *
 * @throws AppError VERIFICATION_FAILED for what is no such part, or has more bytes; UNAUTHORIZED
 */
export async function* unpackPart(
  stored: AsyncIterable<Uint8Array>,
  { file, part }: { readonly file: FileName; readonly part: number },
  opening: Opening | null,
): AsyncGenerator<Uint8Array> {
  const head = headOf(file, part);
  const [start, end] = spanOf(file, part);
  const most = head.length + end - start;
  const limited = atMost(stored, opening === null ? most : sealedBytes(most), file);
  const plain = opening === null ? limited : await unseal(Readable.from(limited), opening);
  let left = end - start;
  for await (const chunk of withoutHead(plain, head, file)) {
    left -= chunk.byteLength;
    if (left < 0) break;
    yield chunk;
  }
  if (left !== 0) throw altered(file);
}

/** A hostile file must not fill the disk. */
async function* atMost(
  source: AsyncIterable<Uint8Array>,
  bytes: number,
  file: FileName,
): AsyncGenerator<Uint8Array> {
  let left = bytes;
  for await (const chunk of source) {
    left -= chunk.byteLength;
    if (left < 0) throw altered(file);
    yield chunk;
  }
}

async function* withoutHead(
  source: AsyncIterable<Uint8Array>,
  head: Buffer,
  file: FileName,
): AsyncGenerator<Uint8Array> {
  let begun = Buffer.alloc(0);
  let isBegun = false;
  for await (const chunk of source) {
    if (isBegun) {
      yield chunk;
      continue;
    }
    begun = Buffer.concat([begun, chunk]);
    if (begun.length < head.length && begun.length < MOST_HEAD_BYTES) continue;
    if (!begun.subarray(0, head.length).equals(head)) throw altered(file);
    isBegun = true;
    if (begun.length > head.length) yield begun.subarray(head.length);
  }
  if (!isBegun) throw altered(file);
}

const altered = (file: FileName): Error => damaged(`${storedText(file)} in the stream is damaged`);
