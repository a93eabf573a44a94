import { beforeAll, describe, expect, test } from 'vitest';
import { isSealed, open, seal } from '#kernel/sealed-file.ts';

const CHUNK = 65_536 + 16;

async function* pieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function joined(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}
async function* texts(...all: string[]) {
  yield* all;
}
const opened = (bytes: Uint8Array, passphrase: string, size = 60_000) =>
  joined(open(pieces(bytes, size), passphrase));

let plain: string;
let sealed: Buffer;
/** Where the chunks begin. */
let body: number;
beforeAll(async () => {
  plain = Array.from({ length: 30_000 }, (_, line) => `line ${line}\n`).join('');
  sealed = await joined(seal(texts(plain), 'geheim'));
  body = sealed.indexOf(10, sealed.indexOf(10) + 1) + 1;
});

test.each([0, 65_536, 65_537])('%i bytes come out as they went in', async (length) => {
  const text = 'x'.repeat(length);
  const file = await joined(seal(texts(text.slice(0, 5), text.slice(5)), ''));
  expect(isSealed(file)).toBe(true);
  expect((await opened(file, '')).toString()).toBe(text);
});

test('in pieces of any size', async () => {
  for (const size of [1000, 10_000_000]) {
    expect((await opened(sealed, 'geheim', size)).toString()).toBe(plain);
  }
  expect(sealed.includes('line 17')).toBe(false);
});

test('the same text is never sealed alike', async () => {
  expect((await joined(seal(texts(plain), 'geheim'))).equals(sealed)).toBe(false);
});

test.each(['', 'geheim '])('the passphrase "%s" does not open it', async (passphrase) => {
  await expect(opened(sealed, passphrase)).rejects.toMatchObject({ reason: 'WRONG_PASSPHRASE' });
});

describe('damage is found', () => {
  const cases: [string, () => Uint8Array][] = [
    ['one byte short', () => sealed.subarray(0, -1)],
    ['cut at the end of a chunk', () => sealed.subarray(0, body + CHUNK)],
    ['nothing but its beginning', () => sealed.subarray(0, body)],
    ['cut in its beginning', () => sealed.subarray(0, 100)],
    ['one byte more', () => Buffer.concat([sealed, Buffer.from('x')])],
    [
      'chunks in another order',
      () =>
        Buffer.concat([
          sealed.subarray(0, body),
          sealed.subarray(body + CHUNK, body + 2 * CHUNK),
          sealed.subarray(body, body + CHUNK),
          sealed.subarray(body + 2 * CHUNK),
        ]),
    ],
    ['a chunk left out', () => Buffer.concat([sealed.subarray(0, body), sealed.subarray(body + CHUNK)])],
    [
      'another cost of the passphrase',
      () => Buffer.from(sealed.toString('latin1').replace('65536', '65537'), 'latin1'),
    ],
  ];
  test.each(cases)('%s', async (_what, damage) => {
    await expect(opened(damage(), 'geheim')).rejects.toMatchObject({ reason: 'DAMAGED' });
  });

  test('a flipped byte, wherever it is', async () => {
    const places = [20, body - 80, body - 2, body, sealed.length - 1];
    for (const at of places) {
      const flipped = Buffer.from(sealed);
      flipped[at] = (flipped[at] as number) ^ 1;
      await expect(opened(flipped, 'geheim'), `byte ${at}`).rejects.toMatchObject({ reason: 'DAMAGED' });
    }
  });
});
