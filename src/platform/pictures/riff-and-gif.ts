import { incomplete, moreThanAPicture, requirePlainNote, type Size } from './structure.ts';

/** Whether the first bytes are those of a WebP. */
export const isWebp = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP';

/** Walks a WebP from chunk to chunk; the largest size that one of them names counts. @throws NotAPicture */
export function readWebp(bytes: Buffer): Size {
  const kind = 'WebP';
  const end = bytes.readUInt32LE(4) + 8;
  if (end > bytes.length) throw incomplete(kind);
  if (end < bytes.length) throw moreThanAPicture(kind);
  let at = 12;
  let [width, height] = [0, 0];
  let hasPixels = false;
  while (at < end) {
    if (at + 8 > end) throw incomplete(kind);
    const type = bytes.toString('latin1', at, at + 4);
    const body = bytes.subarray(at + 8, at + 8 + bytes.readUInt32LE(at + 4));
    at += 8 + body.length + (body.length % 2);
    if (at > end || body.length !== bytes.readUInt32LE(body.byteOffset - bytes.byteOffset - 4))
      throw incomplete(kind);
    const size = webpSize(type, body);
    if (size) [width, height] = [Math.max(width, size.width), Math.max(height, size.height)];
    if (['VP8 ', 'VP8L', 'ANMF'].includes(type)) hasPixels = true;
    if (['EXIF', 'XMP ', 'ICCP'].includes(type)) requirePlainNote(kind, body);
  }
  if (!hasPixels) throw incomplete(kind);
  return { width, height };
}

/** Null for a chunk that names none. */
function webpSize(type: string, body: Buffer): Size | null {
  if (!['VP8X', 'VP8 ', 'VP8L'].includes(type)) return null;
  if (body.length < (type === 'VP8L' ? 5 : 10)) throw incomplete('WebP');
  if (type === 'VP8X') return { width: body.readUIntLE(4, 3) + 1, height: body.readUIntLE(7, 3) + 1 };
  if (type === 'VP8 ') {
    if (body.readUIntLE(3, 3) !== 0x2a019d) throw incomplete('WebP');
    return { width: body.readUInt16LE(6) & 0x3fff, height: body.readUInt16LE(8) & 0x3fff };
  }
  if (body[0] !== 0x2f) throw incomplete('WebP');
  const bits = body.readUInt32LE(1);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/** Whether the first bytes are those of a GIF. */
export const isGif = (bytes: Buffer): boolean => /^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6));

/** A film of a minute at 25 pictures a second. */
const MOST_FRAMES = 1500;

/** Walks a GIF from block to block. @throws NotAPicture */
export function readGif(bytes: Buffer): Size {
  const kind = 'GIF';
  if (bytes.length < 14) throw incomplete(kind);
  const size = { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  let at = 13 + tableBytes(bytes[10] ?? 0);
  let frames = 0;
  for (;;) {
    const block = bytes[at];
    if (block === 0x3b) break;
    if (block === 0x2c) {
      if (at + 10 >= bytes.length) throw incomplete(kind);
      requireInside(bytes, at, size);
      frames += 1;
      // After the table of colors stands how many bits begin the pixels.
      at = afterParts(bytes, at + 10 + tableBytes(bytes[at + 9] ?? 0) + 1);
    } else if (block === 0x21) {
      const next = afterParts(bytes, at + 2);
      requirePlainNote(kind, bytes.subarray(at, next));
      at = next;
    } else throw incomplete(kind);
    if (frames > MOST_FRAMES) throw moreThanAPicture(kind);
  }
  if (at + 1 !== bytes.length) throw moreThanAPicture(kind);
  if (frames === 0) throw incomplete(kind);
  return size;
}

const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** A frame that reaches beyond its screen makes decoders enlarge it. */
function requireInside(bytes: Buffer, at: number, { width, height }: Size): void {
  const [left, top] = [bytes.readUInt16LE(at + 1), bytes.readUInt16LE(at + 3)];
  const [wide, high] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
  if (left + wide > width || top + high > height) throw incomplete('GIF');
}

/** Parts of at most 255 bytes, each after its length; an empty one is the last. */
function afterParts(bytes: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = bytes[at];
    if (length === undefined) throw incomplete('GIF');
    at += 1 + length;
    if (length === 0) return at;
  }
}
