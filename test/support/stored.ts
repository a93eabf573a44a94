// Bytes on their way into a storage and out of it.
import type { ObjectStorage, StoredObject } from '#kernel/storage/types.ts';

/**
 * @param lengths of the first pieces; the rest comes in one
 * @returns the bytes as a source, in one buffer that is used again as that of a socket is
 */
export async function* inPieces(bytes: Uint8Array, ...lengths: number[]): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(bytes.length);
  let start = 0;
  for (const length of [...lengths, bytes.length]) {
    const piece = bytes.subarray(start, start + length);
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
    start += piece.length;
  }
}

/** @returns the location at which the bytes were put */
export async function storeBytes(storage: ObjectStorage, bytes: Uint8Array): Promise<string> {
  const staged = await storage.stage(inPieces(bytes), bytes.length);
  return (await staged.keep()).location;
}

/** @returns bytes from `start` up to and including `end` of an object that must be there */
export async function readAll(object: StoredObject | null, start: number, end: number): Promise<Buffer> {
  if (object === null) throw new Error('there is no object');
  const chunks: Buffer[] = [];
  for await (const chunk of object.read(start, end)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** @returns everything that comes, in its order */
export async function gather<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}
