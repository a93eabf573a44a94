/**
 * The write-ahead log of SQLite as a file (https://www.sqlite.org/fileformat2.html#the_write_ahead_log): a head of 32
 * bytes, then frames of 24 bytes and one page. The checksum of a frame continues that of the frame before it, so a run of
 * frames is whole, or it shows where it stops to be.
 */

import { endianness } from 'node:os';

export const HEAD_BYTES = 32;
export const FRAME_HEAD_BYTES = 24;

export type Checksum = readonly [number, number];

/** What the first 32 bytes say. */
export interface WalHead {
  readonly pageSize: number;
  /** Hex. The log gets other salts each time it begins anew, and frames with others are left over from before. */
  readonly salts: string;
  readonly checksum: Checksum;
  readonly isBigEndian: boolean;
}

const LITTLE = 0x377f0682;
const BIG = 0x377f0683;

/** @returns null for what is no head of a log, or only the beginning of one */
export function parseHead(bytes: Buffer): WalHead | null {
  if (bytes.length < HEAD_BYTES) return null;
  const magic = bytes.readUInt32BE(0);
  if (magic !== LITTLE && magic !== BIG) return null;
  const isBigEndian = magic === BIG;
  const checksum = sumUp(bytes.subarray(0, 24), [0, 0], isBigEndian);
  if (!isEqual(checksum, checksumAt(bytes, 24))) return null;
  return { pageSize: bytes.readUInt32BE(8), salts: bytes.toString('hex', 16, 24), checksum, isBigEndian };
}

export const frameBytes = (head: WalHead): number => FRAME_HEAD_BYTES + head.pageSize;

/** One frame, found whole. */
export interface Frame {
  readonly pageNumber: number;
  /** Pages of the database after the transaction that the frame ends; 0 for any other frame. */
  readonly pagesAfterCommit: number;
  readonly page: Buffer;
  readonly checksum: Checksum;
}

/**
 * Reads the frame at the beginning of `bytes`.
 *
 * @param before checksum of the frame before it; of the head for the first one
 * @returns null for a frame that is not whole: not written yet, or left over from before
 */
export function readFrame(bytes: Buffer, head: WalHead, before: Checksum): Frame | null {
  if (bytes.length < frameBytes(head)) return null;
  if (bytes.toString('hex', 8, 16) !== head.salts) return null;
  const page = bytes.subarray(FRAME_HEAD_BYTES, frameBytes(head));
  const ofHead = sumUp(bytes.subarray(0, 8), before, head.isBigEndian);
  const checksum = sumUp(page, ofHead, head.isBigEndian);
  if (!isEqual(checksum, checksumAt(bytes, 16))) return null;
  return { pageNumber: bytes.readUInt32BE(0), pagesAfterCommit: bytes.readUInt32BE(4), page, checksum };
}

/** The checksum that a frame carries. @param frame its first 24 bytes or more */
export const checksumOf = (frame: Buffer): Checksum => checksumAt(frame, 16);

export const isEqual = (one: Checksum, other: Checksum): boolean =>
  one[0] === other[0] && one[1] === other[1];

const checksumAt = (bytes: Buffer, at: number): Checksum => [
  bytes.readUInt32BE(at),
  bytes.readUInt32BE(at + 4),
];

const isBigEndianMachine = endianness() === 'BE';

/** The words of a log are summed in the order of the machine that wrote it. @param bytes a multiple of 8 */
function sumUp(bytes: Buffer, [first, second]: Checksum, isBigEndian: boolean): Checksum {
  const words = wordsOf(bytes, isBigEndian);
  let one = first;
  let two = second;
  for (let i = 0; i < words.length; i += 2) {
    one = (one + (words[i] as number) + two) >>> 0;
    two = (two + (words[i + 1] as number) + one) >>> 0;
  }
  return [one, two];
}

/** As they are where the machine's order and place in memory allow it: a page has a thousand of them. */
function wordsOf(bytes: Buffer, isBigEndian: boolean): Uint32Array {
  const isOwnOrder = isBigEndian === isBigEndianMachine;
  const source = isOwnOrder && bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer);
  if (!isOwnOrder) source.swap32();
  return new Uint32Array(source.buffer, source.byteOffset, bytes.length / 4);
}
