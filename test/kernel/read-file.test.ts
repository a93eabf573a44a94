// Reading a part of a file with two buffers: what is read, and what becomes of a file that is not as it was.
import { randomBytes } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createBuffers } from '#kernel/storage/buffers.ts';
import { createRangeReader } from '#kernel/storage/read-file.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const CHUNK = 524_288;
const KIB = 1024;
const folder = scratchFolder('appctl-read-');
const bytes = randomBytes(3 * CHUNK + 7);
const whole = join(folder, 'whole');
writeFileSync(whole, bytes);
afterAll(() => rmSync(folder, { recursive: true }));
const readRange = createRangeReader();

async function read(path: string, start: number, end: number): Promise<Buffer> {
  await using file = await open(path);
  const parts: Buffer[] = [];
  // Each is copied before the next one is asked for: its buffer is used again.
  for await (const chunk of readRange(file, start, end)) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts);
}

it.each([
  [0, bytes.length - 1],
  [0, 0],
  [bytes.length - 1, bytes.length - 1],
  [0, CHUNK - 1],
  [0, CHUNK],
  [1, CHUNK],
  [CHUNK, 2 * CHUNK - 1],
  [CHUNK - 1, 2 * CHUNK],
  [5, 3 * CHUNK + 2],
  [7, 100_000],
])('bytes %i to %i are those of the file', async (start, end) => {
  expect((await read(whole, start, end)).equals(bytes.subarray(start, end + 1))).toBe(true);
});

it('nothing is read of an empty part', async () => {
  expect(await read(whole, 5, 4)).toHaveLength(0);
});

it('many readings at once give each its own bytes', async () => {
  const parts = await Promise.all(
    Array.from({ length: 40 }, (_, i) => read(whole, i * 1000, bytes.length - 1 - i)),
  );
  for (const [i, part] of parts.entries())
    expect(part.equals(bytes.subarray(i * 1000, bytes.length - i))).toBe(true);
});

it('two buffers serve the whole, and the next reading after it', async () => {
  const own = createRangeReader();
  await using file = await open(whole);
  const buffers = new Set<ArrayBufferLike>();
  for (let time = 0; time < 2; time++)
    for await (const chunk of own(file, 0, bytes.length - 1)) buffers.add(chunk.buffer);
  expect(buffers.size).toBe(2);
});

it('a file that became shorter is an error, after what is left of it', async () => {
  const path = join(folder, 'short');
  writeFileSync(path, bytes);
  truncateSync(path, CHUNK + 3);
  await using file = await open(path);
  let received = 0;
  const reading = async () => {
    for await (const chunk of readRange(file, 0, bytes.length - 1)) received += chunk.length;
  };
  await expect(reading()).rejects.toThrow(
    `the file ends at byte ${CHUNK + 3}, before byte ${bytes.length - 1}`,
  );
  expect(received).toBe(CHUNK + 3);
});

it('whoever stops early waits for the read that is under way, and may close the file', async () => {
  const file = await open(whole);
  for await (const chunk of readRange(file, 0, bytes.length - 1)) {
    expect(chunk).toHaveLength(CHUNK);
    break;
  }
  await file.close();
});

/** A file that answers the reads one after the other as it is told: with so many bytes, or with an error. */
function oddFile(answers: (number | Error)[]) {
  const lengths: number[] = [];
  const handle = {
    read: async (buffer: Buffer, _offset: number, length: number, position: number) => {
      lengths.push(length);
      const answer = answers.shift() ?? length;
      if (answer instanceof Error) throw answer;
      return { bytesRead: bytes.copy(buffer, 0, position, position + answer), buffer };
    },
  } as unknown as FileHandle;
  return { handle, lengths };
}

it('a read that fails while a chunk is being sent is told to who asks for the next one', async () => {
  const { handle, lengths } = oddFile([CHUNK, new Error('EIO')]);
  const chunks = readRange(handle, 0, 2 * CHUNK);
  expect((await chunks.next()).value).toHaveLength(CHUNK);
  // Nobody listens now; a rejection without a listener would end the process.
  await new Promise((resolve) => setImmediate(resolve));
  await expect(chunks.next()).rejects.toThrow('EIO');
  expect(lengths).toEqual([CHUNK, CHUNK]);
});

it.each([
  [100, [60], [100, 40]],
  [3000, [1000, 1], [3000, 2000, 1999]],
  [2 * CHUNK, [10, CHUNK, 5], [CHUNK, CHUNK, CHUNK - 10, CHUNK - 15]],
])('a disk that gives less than it was asked for is asked again (%i bytes)', async (size, answers, asked) => {
  const { handle, lengths } = oddFile(answers);
  const parts: Buffer[] = [];
  for await (const chunk of readRange(handle, 0, size - 1)) parts.push(Buffer.from(chunk));
  expect(Buffer.concat(parts).equals(bytes.subarray(0, size))).toBe(true);
  expect(lengths).toEqual(asked);
});

describe('buffers', () => {
  const sizes = (taken: readonly (Buffer | undefined)[]) =>
    taken.map((buffer) => (buffer?.length ?? 0) / KIB);

  it.each([
    [1, [64]],
    [64 * KIB, [64]],
    [64 * KIB + 1, [128]],
    [200 * KIB, [256]],
    [512 * KIB, [512]],
    [512 * KIB + 1, [512, 512]],
    [2 ** 40, [512, 512]],
  ])('for %i bytes are no more than they need', (bytes, expected) => {
    expect(sizes(createBuffers().take(bytes))).toEqual(expected);
  });

  it('become smaller the more are in use, then there is one each: fifty readings take 6 MiB', () => {
    const buffers = createBuffers();
    const taken = Array.from({ length: 50 }, () => sizes(buffers.take(2 ** 40)));
    expect(taken.slice(0, 3)).toEqual([
      [512, 512],
      [256, 256],
      [256, 256],
    ]);
    expect(taken.at(-1)).toEqual([64]);
    expect(taken.flat().reduce((sum, size) => sum + size, 0)).toBeLessThan(6.5 * KIB);
  });

  it('are used again, and kept only within the budget', () => {
    const buffers = createBuffers();
    const take = () => Array.from({ length: 100 }, () => buffers.take(KIB)[0]);
    const many = take();
    for (const one of many) buffers.give(one);
    const again = take();
    expect(again.filter((one) => many.includes(one))).toHaveLength(64);
    for (const one of again) buffers.give(one);
    expect(sizes(buffers.take(2 ** 40))).toEqual([512, 512]);
  });
});
