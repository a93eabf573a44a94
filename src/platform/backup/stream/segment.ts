import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { HEAD_BYTES } from '#kernel/db/wal/format.ts';
import type { WalPiece } from '#kernel/db/wal/replay.ts';
import { damaged } from '../faults.ts';
import { type Opening, seal, unseal } from '../sealing.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Bytes of frames in one segment at most; a larger transaction has several. */
export const SEGMENT_BYTES = 8 * 1024 ** 2;

const MAGIC = Buffer.from('appctl-stream-segment 1\n');
const PREFIX_BYTES = MAGIC.length + 8 + HEAD_BYTES;
/** What a hostile file may unpack to. */
const MOST_BYTES = PREFIX_BYTES + SEGMENT_BYTES + 1024 ** 2;

/**
 * A segment as it is stored: a line that names the format, where the frames stand in the log (8 bytes, big-endian), the
 * head of the log, and the frames; compressed, and encrypted if there is somebody to encrypt to.
 */
export async function packSegment(piece: WalPiece, recipient: string | null): Promise<Buffer> {
  const offset = Buffer.alloc(8);
  offset.writeBigUInt64BE(BigInt(piece.offset));
  const packed = await compress(Buffer.concat([MAGIC, offset, piece.head, piece.frames]), {
    params: { [constants.ZSTD_c_checksumFlag]: 1 },
  });
  if (recipient === null) return packed;
  return buffer(await seal(Readable.from([packed]), { recipients: [recipient] }));
}

/** @throws AppError VERIFICATION_FAILED, UNAUTHORIZED */
export async function unpackSegment(bytes: Buffer, opening: Opening | null, name: string): Promise<WalPiece> {
  const packed = opening === null ? bytes : await buffer(await unseal(Readable.from([bytes]), opening));
  const plain = await decompress(packed, { maxOutputLength: MOST_BYTES }).catch(() => null);
  if (plain === null || !plain.subarray(0, MAGIC.length).equals(MAGIC) || plain.length < PREFIX_BYTES)
    throw damaged(`${name} in the stream is damaged`);
  const start = MAGIC.length + 8;
  return {
    offset: Number(plain.readBigUInt64BE(MAGIC.length)),
    head: plain.subarray(start, start + HEAD_BYTES),
    frames: plain.subarray(start + HEAD_BYTES),
  };
}
