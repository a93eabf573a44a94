// Files in the stream of backups: in parts that a crash leaves whole, under names that are believed only as far as they are true.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { parseStorageUrl } from '#kernel/config/storage-url.ts';
import { dropNote, keptNotes, keptNotesFolder, noteKept, takeNote } from '#kernel/storage/kept-notes.ts';
import { bucketPlace } from '#platform/backup/place-bucket.ts';
import { folderPlace } from '#platform/backup/place-folder.ts';
import { newIdentity } from '#platform/backup/sealing.ts';
import {
  filePartName,
  filePartOf,
  PART_BYTES,
  partsOf,
  shardFolder,
} from '#platform/backup/stream/file-names.ts';
import { packPart, unpackPart } from '#platform/backup/stream/file-part.ts';
import type { FileSetRecord } from '#platform/backup/stream/file-records.ts';
import { listStreamFiles } from '#platform/backup/stream/file-shelf.ts';
import { localStorage } from '#platform/storage/local.ts';
import { AlteredFile, sendFile } from '../../src/app/backup/stream/files/send.ts';
import { startS3Server } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('appctl-stream-files-');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('names', () => {
  const fileOf = (location: string, storage: 'bundles' | 'media' = 'media') => ({
    ...{ storage, location, sha256: A, size: 3 * PART_BYTES },
  });

  test.each([fileOf(`aa/${A}`, 'bundles'), fileOf(`${A}/original`), fileOf(`${B}/thumbnail`)])(
    '%j is found again in its name',
    (file) => {
      const name = filePartName('set', file, 3);
      expect(filePartOf(name.slice(shardFolder('set', file.location.slice(0, 2)).length))).toEqual({
        file,
        part: 3,
      });
    },
  );

  test.each([
    `bundles-../../${A}-${A}-3-1`,
    `media-${A}-../x-${A}-3-1`,
    `other-${A}-${A}-3-1`,
    // Other bytes than the location names.
    `bundles-${A}-${B}-3-1`,
    `media-${A}-original-${B}-3-1`,
    `bundles-${A}-${A}-3-2`,
    `bundles-${A}-${A}-3-0`,
    `bundles-${A}-${A}-9999999999999999-1`,
    `bundles-${A}-${A}-3-1.part`,
  ])('%s is none', (name) => expect(filePartOf(name)).toBe(null));
});

describe('a part', () => {
  const bytes = randomBytes(200_000);
  const file = { storage: 'bundles', location: 'x', sha256: sha(bytes), size: bytes.length } as const;
  const packed = async (recipient: string | null) =>
    buffer(await packPart(file, 1, Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]), recipient));
  const unpacked = (stored: Uint8Array, opening: Parameters<typeof unpackPart>[2] = null) =>
    buffer(
      unpackPart(Readable.from([stored.subarray(0, 10), stored.subarray(10)]), { file, part: 1 }, opening),
    );

  test('comes back as it was, encrypted or not', async () => {
    expect((await unpacked(await packed(null))).equals(bytes)).toBe(true);
    const { identity, recipient } = await newIdentity();
    const sealed = await packed(recipient);
    expect(sealed.includes('appctl-stream-file')).toBe(false);
    const opening = { identities: [identity], passphrase: null, tried: 'a key' };
    expect((await unpacked(sealed, opening)).equals(bytes)).toBe(true);
    await expect(unpacked(sealed.subarray(0, 150_000), opening)).rejects.toThrow('incomplete');
  });

  test('that is cut, longer, of another file or something else is refused', async () => {
    const whole = await packed(null);
    const other = Buffer.from(whole);
    other.write('9', whole.indexOf('"part":') + 7);
    for (const wrong of [
      whole.subarray(0, whole.length - 1),
      Buffer.concat([whole, Buffer.from('x')]),
      other,
      Buffer.from('short'),
      Buffer.alloc(0),
      randomBytes(5000),
    ])
      await expect(unpacked(wrong)).rejects.toThrow('damaged');
  });
});

test('a note waits until its file was sent, also when the file is kept again meanwhile', async () => {
  const dataDir = join(folder, 'notes');
  const file = { storage: 'media', location: `${A}/original` } as const;
  noteKept(dataDir, file);
  expect(await keptNotes(dataDir)).toEqual([]);
  mkdirSync(keptNotesFolder(dataDir), { recursive: true });
  writeFileSync(join(keptNotesFolder(dataDir), 'media-..-x'), '');
  noteKept(dataDir, file);
  await takeNote(dataDir, file);
  expect(await keptNotes(dataDir)).toEqual([file]);
  noteKept(dataDir, file);
  expect(await keptNotes(dataDir)).toEqual([file]);
  await dropNote(dataDir, file);
  expect(await keptNotes(dataDir)).toEqual([file]);
  await takeNote(dataDir, file);
  await dropNote(dataDir, file);
  expect(await keptNotes(dataDir)).toEqual([]);
});

describe('sending', () => {
  const dataDir = join(folder, 'data');
  mkdirSync(keptNotesFolder(dataDir), { recursive: true });
  const bundles = localStorage(join(dataDir, 'bundles'), 'bundles', dataDir);
  const place = folderPlace(join(folder, 'place'));
  const set: FileSetRecord = {
    kind: 'appctl-stream-files',
    ...{ v: 1, id: '20270131T100000Z-00000000', createdAt: '2027-01-31T10:00:00.000Z' },
    ...{ installation: null, recipient: null, identity: null },
  };
  const targetWith = (put = place.put) => ({
    ...{ config: { dataDir }, place: { ...place, put }, set, signal: new AbortController().signal },
    storages: { bundles, media: bundles },
  });
  const kept = async (bytes: Buffer) => {
    const staged = await bundles.stage(Readable.from([bytes]), bytes.length);
    return { storage: 'bundles' as const, ...(await staged.keep()) };
  };

  test('a large file goes in parts, and after a failure on with those that are missing', async () => {
    const bytes = Buffer.concat([Buffer.alloc(PART_BYTES, 1), randomBytes(1000)]);
    const name = await kept(bytes);
    expect(await keptNotes(dataDir)).toEqual([name]);
    let count = 0;
    const second = async (...sent: Parameters<typeof place.put>) => {
      count += 1;
      if (count === 2) throw new Error('away');
      return place.put(...sent);
    };
    await expect(sendFile(targetWith(second), name)).rejects.toThrow('away');
    const shard = name.location.slice(0, 2);
    const there = () => listStreamFiles(place, set.id, shard);
    expect(await there()).toMatchObject([{ isWhole: false }]);
    expect(await sendFile(targetWith(), name)).toBe(1000);
    expect(await there()).toMatchObject([{ isWhole: true, sha256: sha(bytes), size: bytes.length }]);
    expect(await sendFile(targetWith(), name)).toBe(0);
    const [file] = await there();
    if (!file) throw new Error('nothing is there');
    expect(file.parts.size).toBe(partsOf(bytes.length));
    // A part that was cut is not there.
    const path = join(folder, 'place', file.parts.get(2) ?? '');
    writeFileSync(path, readFileSync(path).subarray(0, 900));
    expect(await sendFile(targetWith(), name)).toBe(1000);
    expect(readdirSync(join(dataDir, 'stream'))).toEqual(['files']);
  });

  test('what is damaged on this disk is not sent, and what is gone is nothing', async () => {
    const name = await kept(randomBytes(100));
    writeFileSync(join(dataDir, 'bundles', name.location), 'altered');
    await expect(sendFile(targetWith(), name)).rejects.toThrow(AlteredFile);
    rmSync(join(dataDir, 'bundles', name.location));
    expect(await sendFile(targetWith(), name)).toBe(null);
  });

  test('a bucket has the same names, and gives the same bytes', async () => {
    const s3 = await startS3Server();
    try {
      const address = parseStorageUrl(s3.urlOf('bundles/kept'));
      if (address === null) throw new Error('no bucket');
      const bucket = bucketPlace(address, { id: 'S3RVER', secret: 'S3RVER' });
      const bytes = randomBytes(1000);
      const name = await kept(bytes);
      expect(await sendFile({ ...targetWith(), place: bucket }, name)).toBe(1000);
      expect(await sendFile({ ...targetWith(), place: bucket }, name)).toBe(0);
      const [file] = await listStreamFiles(bucket, set.id, name.location.slice(0, 2));
      const stored = await bucket.read(file?.parts.get(1) ?? '');
      if (!file || !stored) throw new Error('nothing is there');
      const { storage, location, sha256, size } = file;
      const part = { file: { storage, location, sha256, size }, part: 1 };
      expect((await buffer(unpackPart(stored, part, null))).equals(bytes)).toBe(true);
    } finally {
      await s3.close();
    }
  });
});
