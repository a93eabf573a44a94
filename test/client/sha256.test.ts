import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSha256 } from '../../src/client/sha256.ts';

const ours = (...pieces: Uint8Array[]): string => {
  const hash = createSha256();
  for (const piece of pieces) hash.update(piece);
  return Buffer.from(hash.digest()).toString('hex');
};
const theirs = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

test('the empty text and the text of the standard', () => {
  expect(ours()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(ours(Buffer.from('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('every length around the ends of blocks is hashed as node does', () => {
  for (let length = 0; length <= 200; length += 1) {
    const bytes = randomBytes(length);
    expect(ours(bytes), `${length} bytes`).toBe(theirs(bytes));
  }
});

test('how the bytes are cut changes nothing', () => {
  const bytes = randomBytes(10_000);
  for (const step of [1, 3, 63, 64, 65, 127, 128, 4096]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
      bytes.subarray(index * step, (index + 1) * step),
    );
    expect(ours(...pieces), `pieces of ${step}`).toBe(theirs(bytes));
  }
  expect(ours(Buffer.alloc(0), bytes, Buffer.alloc(0))).toBe(theirs(bytes));
});
