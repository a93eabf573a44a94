import type { FileHandle } from 'node:fs/promises';
import { type Checksum, frameBytes, HEAD_BYTES, parseHead, readFrame, type WalHead } from './format.ts';

/** How far a log was read. */
export interface WalPosition {
  readonly salts: string;
  /** Of the first byte that was not read. */
  readonly offset: number;
  /** Of the last frame that was read; of the head when there is none. */
  readonly checksum: Checksum;
}

/** Frames of one read: large enough to be quick, small enough for memory. */
const FRAMES_PER_READ = 256;

/** The head of a log as it is now; null while it has none. */
export async function readHead(file: FileHandle): Promise<{ head: WalHead; bytes: Buffer } | null> {
  const bytes = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
  const head = parseHead(bytes.subarray(0, bytesRead));
  return head === null ? null : { head, bytes };
}

/** Before the first frame. */
export const beginningOf = ({ salts, checksum }: WalHead): WalPosition => ({
  salts,
  offset: HEAD_BYTES,
  checksum,
});

/**
 * Looks for the last commit behind a position. What stands behind that is not committed, and may yet be taken back.
 *
 * @param limit offset of what SQLite has not published: a frame there may carry the mark of a commit, and its process die
 *   before it counts
 * @returns the position after it; `from` itself when there is none
 */
export async function lastCommit(
  file: FileHandle,
  head: WalHead,
  from: WalPosition,
  limit: number,
): Promise<WalPosition> {
  const size = frameBytes(head);
  const buffer = Buffer.alloc(size * FRAMES_PER_READ);
  let found = from;
  let { offset, checksum } = from;
  for (;;) {
    const length = Math.min(buffer.length, limit - offset);
    if (length < size) return found;
    const { bytesRead } = await file.read(buffer, 0, length, offset);
    for (let at = 0; ; at += size) {
      const frame = readFrame(buffer.subarray(at, Math.min(at + size, bytesRead)), head, checksum);
      if (frame === null && at < buffer.length) return found;
      if (frame === null) break;
      ({ checksum } = frame);
      offset += size;
      if (frame.pagesAfterCommit > 0) found = { salts: head.salts, offset, checksum };
    }
  }
}
