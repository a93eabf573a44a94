import { crc32 } from 'node:zlib';
import { incomplete, moreThanAPicture, requirePlainNote, type Size } from './structure.ts';

const KIND = 'PNG';
const START = Buffer.from('89504e470d0a1a0a', 'hex');
/** Parts that hold no pixels: compressed, each could swell to a thousand times its size. */
const MOST_NOTE_BYTES = 1_048_576;
/** Deflate makes at most so many bytes of one. */
const MOST_SWELL = 1032;
/** Samples of a pixel by the color type. */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const NOTES: readonly string[] = ['tEXt', 'zTXt', 'iTXt', 'eXIf', 'iCCP'];

/** Whether the first bytes are those of a PNG. */
export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(START);

/**
 * Walks a PNG from chunk to chunk, checks the sum of each, and that enough bytes came for its pixels.
 *
 * @throws NotAPicture
 */
export function readPng(bytes: Buffer): Size {
  let at = START.length;
  let head: Size & { rawBytes: number } = { width: 0, height: 0, rawBytes: 0 };
  let pixels = 0;
  for (let index = 0; ; index += 1) {
    const { type, body, next } = chunkAt(bytes, at);
    at = next;
    if ((index === 0) !== (type === 'IHDR')) throw incomplete(KIND);
    if (type === 'IHDR') head = headIn(body);
    if (type === 'IDAT') pixels += body.length;
    if (NOTES.includes(type)) {
      if (body.length > MOST_NOTE_BYTES) throw moreThanAPicture(KIND);
      requirePlainNote(KIND, body);
    }
    if (type === 'IEND') break;
  }
  if (at !== bytes.length) throw moreThanAPicture(KIND);
  if (pixels === 0 || pixels * MOST_SWELL < head.rawBytes) throw incomplete(KIND);
  return { width: head.width, height: head.height };
}

function chunkAt(bytes: Buffer, at: number): { type: string; body: Buffer; next: number } {
  if (at + 12 > bytes.length) throw incomplete(KIND);
  const length = bytes.readUInt32BE(at);
  const next = at + 12 + length;
  if (next > bytes.length) throw incomplete(KIND);
  if (crc32(bytes.subarray(at + 4, next - 4)) !== bytes.readUInt32BE(next - 4)) throw incomplete(KIND);
  return {
    type: bytes.toString('latin1', at + 4, at + 8),
    body: bytes.subarray(at + 8, next - 4),
    next,
  };
}

/** `rawBytes`: of its pixels, each row with the byte that names its filter. */
function headIn(body: Buffer): Size & { rawBytes: number } {
  if (body.length !== 13) throw incomplete(KIND);
  const [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
  const bits = (body[8] ?? 0) * (SAMPLES[body[9] ?? -1] ?? 0);
  if (bits === 0) throw incomplete(KIND);
  return { width, height, rawBytes: height * (1 + Math.ceil((width * bits) / 8)) };
}
