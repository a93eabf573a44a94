import { incomplete, moreThanAPicture, requirePlainNote, type Size } from './structure.ts';

const KIND = 'JPEG';
/** A progressive picture has about ten; one with thousands costs minutes to decode. */
const MOST_SCANS = 100;
const START = Buffer.from([0xff, 0xd8, 0xff]);

/** Whether the first bytes are those of a JPEG. */
export const isJpeg = (bytes: Buffer): boolean => bytes.subarray(0, 3).equals(START);

/**
 * Walks a JPEG from marker to marker. Cameras append a smaller copy or a map of brightness as another JPEG: that may
 * follow, and nothing else.
 *
 * @throws NotAPicture
 */
export function readJpeg(bytes: Buffer): Size {
  const first = walk(bytes, 0);
  let end = first.end;
  while (end < bytes.length) {
    const rest = bytes.subarray(end);
    if (rest.every((byte) => byte === 0)) break;
    if (!isJpeg(rest)) throw moreThanAPicture(KIND);
    end = walk(bytes, end).end;
  }
  return first.size;
}

/** One picture: its size, and where the bytes after its last marker begin. */
function walk(bytes: Buffer, start: number): { size: Size; end: number } {
  let at = start + 2;
  let size: Size | null = null;
  let scans = 0;
  for (;;) {
    const marker = markerAt(bytes, at);
    at = marker.next;
    if (marker.code === 0xd9) {
      if (size === null || scans === 0) throw incomplete(KIND);
      return { size, end: at };
    }
    if (isAlone(marker.code)) continue;
    const length = at + 2 <= bytes.length ? bytes.readUInt16BE(at) : 0;
    if (length < 2 || at + length > bytes.length) throw incomplete(KIND);
    const body = bytes.subarray(at + 2, at + length);
    at += length;
    if (isFrame(marker.code)) size = sizeIn(body);
    if (isNote(marker.code)) requirePlainNote(KIND, body);
    if (marker.code !== 0xda) continue;
    scans += 1;
    if (scans > MOST_SCANS) throw moreThanAPicture(KIND);
    at = afterScan(bytes, at);
  }
}

function markerAt(bytes: Buffer, at: number): { code: number; next: number } {
  let next = at;
  if (bytes[next] !== 0xff) throw incomplete(KIND);
  while (bytes[next] === 0xff) next += 1;
  const code = bytes[next];
  if (code === undefined || code === 0) throw incomplete(KIND);
  return { code, next: next + 1 };
}

/** Markers without a body: restarts, and one for arithmetic that means nothing. */
const isAlone = (code: number): boolean => (code >= 0xd0 && code <= 0xd8) || code === 0x01;

/** Baseline, extended and progressive: the others are lossless or of several layers, which nobody sends. */
const isFrame = (code: number): boolean => code >= 0xc0 && code <= 0xc2;

const isNote = (code: number): boolean => code === 0xfe || (code >= 0xe0 && code <= 0xef);

function sizeIn(body: Buffer): Size {
  if (body.length < 6) throw incomplete(KIND);
  return { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
}

/** The compressed part ends before the next marker that is neither a stuffed byte nor a restart. */
function afterScan(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = bytes.indexOf(0xff, at);
    const code = at === -1 ? undefined : bytes[at + 1];
    if (code === undefined) throw incomplete(KIND);
    const isPart = code === 0 || (code >= 0xd0 && code <= 0xd7);
    if (!isPart && code !== 0xff) return at;
    at += code === 0xff ? 1 : 2;
  }
}
