// Ed25519 over files that do not fit into memory, for Sparkle: the signature of node:crypto over the same bytes.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signingKeyOf, verify } from '#kernel/ed25519.ts';
import { signBundle } from '#signing/releases/bundle-signature.ts';
import { signSparkle, sparkleLine } from '#signing/releases/sparkle-signature.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const MIB = 1024 * 1024;
const key = signingKeyOf(Buffer.alloc(32, 9));

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = scratchFolder('appctl-long-');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytesOf = (size: number) => Buffer.alloc(size, 'sparkle');
async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let place = 0; place < bytes.length; place += size) yield bytes.subarray(place, place + size);
}

describe('signLong', () => {
  test.each([
    [0, 1],
    [1, 1],
    [127, 128],
    [129, 64],
    [100_000, 999],
  ])('over %i bytes in pieces of %i is what sign gives over the whole', async (size, piece) => {
    for (const start of [0, 1, 2, 3]) {
      const one = signingKeyOf(Buffer.alloc(32, size + start));
      const signature = await one.signLong(() => pieces(bytesOf(size), piece));
      expect(signature).toEqual(one.sign(bytesOf(size)));
    }
  });

  test('gives nothing for bytes that differ between the two readings: that would tell the key', async () => {
    let time = 0;
    const read = () => pieces(Buffer.from(`reading ${++time}`), 4);
    await expect(key.signLong(read)).rejects.toThrow(/changed while it was signed/);
    expect(time).toBe(2);
  });
});

describe('signSparkle', () => {
  test.each([0, 1, 31, 33, 63, 65, MIB, MIB + 1])('signs the %i bytes of a file themselves', async (size) => {
    writeFileSync(at('b.zip'), bytesOf(size));
    let told = 0;
    const { signature, ...rest } = await signSparkle(at('b.zip'), key, (done) => {
      told = done;
    });
    expect(rest).toEqual({ size });
    expect(told).toBe(2 * size);
    expect(verify(key.publicKey, bytesOf(size), Buffer.from(signature, 'base64'))).toBe(true);
  });

  test.each<[string, Buffer]>([
    ['32 bytes, the size of a SHA-256', bytesOf(32)],
    ['64 bytes, the size of a BLAKE2b-512', bytesOf(64)],
    ...['delegation/', 'release/', 'license/', 'timestamp/', 'response/', 'continuity/'].map(
      (kind): [string, Buffer] => [`a file that starts with ${kind}`, Buffer.from(`${kind}abc and more`)],
    ),
  ])('refuses %s: it could pass for another signed message', async (_what, bytes) => {
    writeFileSync(at('m.bin'), bytes);
    await expect(signSparkle(at('m.bin'), key)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { reason: 'AMBIGUOUS_MESSAGE' },
    });
  });

  test('refuses a file that is written to while it is read', async () => {
    writeFileSync(at('w.bin'), bytesOf(3 * MIB));
    const change = () => writeFileSync(at('w.bin'), Buffer.alloc(3 * MIB, 'w'));
    await expect(signSparkle(at('w.bin'), key, change)).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
      details: { reason: 'FILE_CHANGED' },
    });
  });

  test('writes the line of an appcast, or joins FILE.sig.json', async () => {
    writeFileSync(at('a.dmg'), bytesOf(1000));
    const options = {
      key,
      now: '2026-01-02T03:04:05.000Z',
      comment: null,
      expectedSha256: null,
      statement: null,
      outDir: null,
      force: false,
      dryRun: false,
    };
    const signature = key.sign(bytesOf(1000)).toString('base64');
    const line = await signBundle(at('a.dmg'), { ...options, format: 'sparkle' });
    expect(line).toMatchObject({ extra: { sparkle: signature }, signatureFile: at('a.dmg.sparkle') });
    expect(sparkleLine({ signature, size: 1000 })).toBe(`sparkle:edSignature="${signature}" length="1000"`);
    const joined = await signBundle(at('a.dmg'), {
      ...options,
      format: 'appctl',
      sparkle: true,
      tauri: true,
    });
    expect(joined.extra).toEqual({ sparkle: signature, tauri: expect.any(String) });
  });
});
