import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DiskFull, StorageFailure } from '#kernel/storage/failure.ts';
import { isLocation, locationOf } from '#kernel/storage/location.ts';
import { TooLarge } from '#kernel/storage/types.ts';
import { localStorageIn } from '../support/context.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { gather, inPieces, readAll, storeBytes } from '../support/stored.ts';

const folder = scratchFolder('appctl-storage-');
const root = join(folder, 'bundles');
const storage = localStorageIn(folder);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const incoming = () => readdirSync(join(root, '.incoming'));
const FUTURE = Date.parse('2100-01-01T00:00:00Z');

/** Stores new random bytes and names their file. */
async function newFile() {
  const bytes = randomBytes(1000);
  const location = await storeBytes(storage, bytes);
  return { bytes, location, path: join(root, location) };
}

describe('receiving', () => {
  test('hashes on the way, and puts the bytes where their digest says, for the owner alone', async () => {
    const bytes = randomBytes(300_001);
    const staged = await storage.stage(inPieces(bytes, 1, 65_536, 0, 3), bytes.length);
    expect(staged).toMatchObject({
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      sha512: createHash('sha512').update(bytes).digest('base64'),
    });
    expect(await storage.open(locationOf(staged.sha256))).toBe(null);
    const { location } = await staged.keep();
    expect(location).toBe(locationOf(staged.sha256));
    const path = join(root, location);
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(
      [path, dirname(path), root, join(root, '.incoming')].map((one) => statSync(one).mode & 0o777),
    ).toEqual([0o600, 0o700, 0o700, 0o700]);
    await staged.discard();
    expect([existsSync(path), incoming()]).toEqual([true, []]);
  });

  test('one byte too many leaves nothing behind, the last one allowed is taken', async () => {
    const bytes = randomBytes(1000);
    await expect(storage.stage(inPieces(bytes, 100), 999)).rejects.toThrow(TooLarge);
    expect(incoming()).toEqual([]);
    const staged = await storage.stage(inPieces(bytes, 100), 1000);
    expect(incoming()).toHaveLength(1);
    await staged.discard();
    await staged.discard();
    expect(incoming()).toEqual([]);
  });

  test('where too little is left nothing is taken, before the first byte', async () => {
    let asked = 0;
    async function* source() {
      asked += 1;
      yield randomBytes(10);
    }
    const empty = scratchFolder('appctl-storage-');
    const failure = await localStorageIn(empty)
      .stage(source(), 100, Number.MAX_SAFE_INTEGER)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DiskFull);
    expect(failure).toMatchObject({
      message: expect.stringMatching(
        /^only .* is free on the disk of .*bundles; uploads need at least .* free$/,
      ),
      hint: expect.stringContaining('storage.bundles_dir'),
    });
    expect([asked, readdirSync(empty)]).toEqual([0, []]);
    rmSync(empty, { recursive: true });
  });

  test('a source that breaks leaves nothing behind, and its error is its own', async () => {
    async function* broken() {
      yield new Uint8Array(10);
      throw Object.assign(new Error('no right to read'), { code: 'EACCES' });
    }
    const failure = await storage.stage(broken(), 100).catch((error: unknown) => error);
    expect(failure).not.toBeInstanceOf(StorageFailure);
    expect((failure as Error).message).toBe('no right to read');
    expect(incoming()).toEqual([]);
  });

  test('the same bytes again replace damaged ones', async () => {
    const { bytes, path } = await newFile();
    writeFileSync(path, 'damaged');
    await storeBytes(storage, bytes);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('a link in the place of the bytes is replaced and what it points to is left alone', async () => {
    const { bytes, path } = await newFile();
    const other = join(folder, 'other');
    writeFileSync(other, 'mine');
    rmSync(path);
    symlinkSync(other, path);
    await storeBytes(storage, bytes);
    expect([readFileSync(other, 'utf8'), readFileSync(path).equals(bytes)]).toEqual(['mine', true]);
  });

  test('abandoned files go when they are old enough, and nothing else of the folder', async () => {
    await storage.stage(inPieces(randomBytes(10)), 10);
    await storage.stage(inPieces(randomBytes(10)), 10);
    const [old = ''] = incoming();
    writeFileSync(join(root, '.incoming', 'note.txt'), '');
    utimesSync(join(root, '.incoming', old), 1000, 1000);
    expect(await storage.dropAbandoned(1_000_001)).toBe(1);
    expect(await storage.dropAbandoned(1_000_001)).toBe(0);
    expect(incoming()).toHaveLength(2);
    expect(await storage.dropAbandoned(FUTURE)).toBe(1);
    expect(incoming()).toEqual(['note.txt']);
  });
});

describe('opening', () => {
  test('reads any part of it', async () => {
    const bytes = randomBytes(300_000);
    const object = await storage.open(await storeBytes(storage, bytes));
    expect(object?.size).toBe(300_000);
    for (const [start, end] of [
      [0, 299_999],
      [0, 0],
      [299_999, 299_999],
      [131_071, 131_073],
    ] as const) {
      const read = await readAll(object, start, end);
      expect(read.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    await object?.close();
  });

  test.each(['missing', 'a folder', 'a symbolic link', 'a named pipe'])(
    'answers null for %s',
    async (what) => {
      const { path, location } = await newFile();
      const put: Record<string, () => void> = {
        'a folder': () => mkdirSync(path),
        'a symbolic link': () => symlinkSync('/etc/hostname', path),
        'a named pipe': () => execFileSync('mkfifo', [path]),
      };
      rmSync(path);
      put[what]?.();
      expect(await storage.open(location)).toBe(null);
    },
  );

  test.each(['missing', 'a file'])(
    'says so when its folder is %s, instead of calling every file missing',
    async (what) => {
      const own = join(folder, `gone-${what.replace(' ', '-')}`);
      const gone = localStorageIn(own);
      const location = await storeBytes(gone, randomBytes(10));
      renameSync(join(own, 'bundles'), join(own, 'away'));
      if (what === 'a file') writeFileSync(join(own, 'bundles'), '');
      const failure = await gone.open(location).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(StorageFailure);
      expect((failure as Error).message).toContain(what === 'a file' ? 'is not a folder' : 'is missing');
      if (what === 'a file') {
        await expect(gather(gone.list(FUTURE))).rejects.toThrow(StorageFailure);
        await expect(gone.dropAbandoned(FUTURE)).rejects.toThrow(StorageFailure);
      }
      rmSync(join(own, 'bundles'), { force: true });
      renameSync(join(own, 'away'), join(own, 'bundles'));
      await (await gone.open(location))?.close();
    },
  );

  test.each(['content', 'size', 'modification time put back', 'another file', 'a second name'])(
    'the state changes with %s',
    async (what) => {
      const { path, location } = await newFile();
      const stateOf = async () => {
        const object = await storage.open(location);
        await object?.close();
        return object?.state;
      };
      const [before, info] = [await stateOf(), statSync(path)];
      expect(await stateOf()).toBe(before);
      const change: Record<string, () => void> = {
        content: () => writeFileSync(path, randomBytes(1000)),
        size: () => truncateSync(path, 999),
        'modification time put back': () => {
          writeFileSync(path, randomBytes(1000));
          utimesSync(path, info.atime, info.mtime);
        },
        'another file': () => {
          rmSync(path);
          writeFileSync(path, randomBytes(1000));
        },
        'a second name': () => linkSync(path, `${path}.2`),
      };
      change[what]?.();
      expect(await stateOf()).not.toBe(before);
    },
  );

  test('a file that is cut off while it is read breaks off', async () => {
    const { path, location } = await newFile();
    const object = await storage.open(location);
    truncateSync(path, 500);
    await expect(readAll(object, 0, 999)).rejects.toThrow('the file ends at byte 500');
    await object?.close();
  });

  test('an open object outlives its name', async () => {
    const { bytes, location } = await newFile();
    const object = await storage.open(location);
    await storage.remove(location);
    await storage.remove(location);
    expect((await readAll(object, 0, 999)).equals(bytes)).toBe(true);
    await object?.close();
    expect(await storage.open(location)).toBe(null);
  });
});

describe('locations', () => {
  const digest = 'ab'.repeat(32);
  test.each([
    '',
    '../../etc/passwd',
    `ab/../ab/${digest}`,
    `/ab/${digest}`,
    `cd/${digest}`,
    `ab/${digest}\n`,
    `ab/${digest.toUpperCase()}`,
    `ab/${digest}0`,
    '.incoming/x',
  ])('%j is none', async (text) => {
    expect(isLocation(text)).toBe(false);
    await expect(async () => storage.open(text)).rejects.toThrow('not a location');
    await expect(async () => storage.remove(text)).rejects.toThrow('not a location');
  });

  test('are made of digests only', () => {
    expect(locationOf(digest)).toBe(`ab/${digest}`);
    for (const bad of ['', 'ab', digest.toUpperCase(), '../'.repeat(22)]) {
      expect(() => locationOf(bad)).toThrow('lower-case hex');
    }
  });

  test('are listed by age; what is none is passed over', async () => {
    const { location } = await newFile();
    writeFileSync(join(root, 'README'), '');
    writeFileSync(join(root, dirname(location), 'note'), '');
    symlinkSync(
      '/etc/hostname',
      join(root, locationOf('ff'.repeat(32)).replace('ff/', `${dirname(location)}/`)),
    );
    const listed = await gather(storage.list(FUTURE));
    expect(listed).toContain(location);
    expect(listed.every(isLocation)).toBe(true);
    // Putting it into its place counts, whatever the file says of itself.
    utimesSync(join(root, location), 1000, 1000);
    expect(await gather(storage.list(2_000_000))).toEqual([]);
  });

  test('there are none before the first upload', async () => {
    expect(await gather(localStorageIn(join(folder, 'new')).list(FUTURE))).toEqual([]);
  });
});

describe('probe', () => {
  test('writes, reads and leaves nothing', async () => {
    await storage.probe();
    expect(incoming()).toEqual(['note.txt']);
  });

  test('makes no folder that is not there yet', async () => {
    await localStorageIn(join(folder, 'later')).probe();
    expect(existsSync(join(folder, 'later'))).toBe(false);
  });

  test('says what is in the way', async () => {
    writeFileSync(join(folder, 'file'), '');
    const failure = await localStorageIn(join(folder, 'file'))
      .probe()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageFailure);
    expect(failure).toMatchObject({ hint: expect.stringContaining('storage.bundles_dir') });
  });
});
