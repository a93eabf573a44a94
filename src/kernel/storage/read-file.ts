import type { FileHandle } from 'node:fs/promises';
import { type Buffers, createBuffers } from './buffers.ts';

/**
 * Reads a part of an open file.
 *
 * @param start first byte
 * @param end last byte, included; nothing is read when it lies before `start`
 * @yields a chunk whose bytes are good until the next one is asked for, or the reading ends: its buffer is used again
 * @throws Error when the file ends before `end`, or what the disk answered
 */
export type ReadRange = (handle: FileHandle, start: number, end: number) => AsyncGenerator<Uint8Array>;

/**
 * Makes a reader of files whose buffers all its readings share. The next chunk is read from disk while the last one is
 * being sent, so two buffers serve the whole of a file, however long it is. Where many files are read at once, each has
 * less: a single download is fast, and many take little memory (issue 5).
 */
export function createRangeReader(): ReadRange {
  const buffers = createBuffers();
  return (handle, start, end) => readRange(buffers, handle, start, end);
}

async function* readRange(
  buffers: Buffers,
  handle: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  const bytes = end - start + 1;
  if (bytes <= 0) return;
  const [first, second] = buffers.take(bytes);
  const size = first.length;
  let filling = first;
  let sending = second ?? first;
  let position = start;
  const fill = (buffer: Buffer) => {
    const reading = handle.read(buffer, 0, Math.min(size, end - position + 1), position);
    // It may fail while the last chunk is still being sent, before anybody waits for it.
    reading.catch(() => undefined);
    return reading;
  };
  let pending = fill(filling);
  try {
    while (position <= end) {
      const { bytesRead } = await pending;
      if (bytesRead === 0) throw new Error(`the file ends at byte ${position}, before byte ${end}`);
      position += bytesRead;
      [filling, sending] = [sending, filling];
      // With one buffer, the file is read on when its bytes have gone.
      if (position <= end && second) pending = fill(filling);
      yield sending.subarray(0, bytesRead);
      if (position <= end && !second) pending = fill(filling);
    }
  } finally {
    // Whoever stops early closes the file next: a read that is still under way would read from whatever gets its number.
    await pending.catch(() => undefined);
    buffers.give(first);
    if (second) buffers.give(second);
  }
}
