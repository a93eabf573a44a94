// What is removed from the files of the stream of backups, and what is taken from them again.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import type { Log } from '#kernel/log.ts';
import { keptNotes, noteKept, storedText } from '#kernel/storage/kept-notes.ts';
import { folderPlace } from '#platform/backup/place-folder.ts';
import { newIdentity, type Opening, sealText } from '#platform/backup/sealing.ts';
import { setName } from '#platform/backup/stream/file-names.ts';
import type { FileSetRecord } from '#platform/backup/stream/file-records.ts';
import { listStreamFiles } from '#platform/backup/stream/file-shelf.ts';
import { readFilesState, writeFilesState, writeGoneFiles } from '#platform/backup/stream/files-state.ts';
import { NO_WATCHER } from '../../src/app/backup/options.ts';
import { storagesOf } from '../../src/app/backup/source.ts';
import { fetchFiles } from '../../src/app/backup/stream/files/fetch.ts';
import { pruneStreamFiles } from '../../src/app/backup/stream/files/prune.ts';
import { isStored, sendFile } from '../../src/app/backup/stream/files/send.ts';
import { FileShipper } from '../../src/app/backup/stream/files/shipper.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually } from '../support/server-process.ts';

let folder: string;
const folders: string[] = [];
beforeEach(() => {
  folder = scratchFolder('appctl-stream-kept-');
  folders.push(folder);
  mkdirSync(at('data/stream/files'), { recursive: true });
  mkdirSync(at('place'));
});
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

const at = (path: string): string => join(folder, path);
const config = () =>
  ({
    dataDir: at('data'),
    storage: { url: 'file:./data/bundles', bundlesDir: at('data/bundles'), mediaDir: at('data/media') },
    backup: { encryptTo: [], passphrase: undefined },
  }) as unknown as Config;
const place = () => folderPlace(at('place'));
/** It has nothing. */
const nothing = { where: () => nothing, first: async () => undefined };
const database = {
  db: { dialect: 'sqlite', knex: Object.assign(() => nothing, { raw: async () => [] }) },
} as unknown as Database;
/** It has one table. @param version how the digest of the bytes begins that its rows mean */
const imageNaming = (locations: readonly string[], version = ''): Database => {
  const rows = locations.map((key) => ({
    id: key,
    storage_key: null,
    variants: JSON.stringify({ one: { key, version } }),
  }));
  const page = { where: () => page, orderBy: () => page, limit: () => page, select: async () => rows };
  const knex = Object.assign(() => page, { raw: async () => [{ name: 'media' }] });
  return { db: { dialect: 'sqlite', knex } } as unknown as Database;
};
const DIGEST = 'a'.repeat(64);
const THUMBNAIL = { storage: 'media', location: `${DIGEST}/thumbnail` } as const;

/** Puts a set into the place. @param n its creation is so many minutes after ten */
function setIn(n: number): FileSetRecord {
  const minute = String(n).padStart(2, '0');
  const set: FileSetRecord = {
    kind: 'appctl-stream-files',
    ...{ v: 1, id: `20270131T10${minute}00Z-0000000${n}`, createdAt: `2027-01-31T10:${minute}:00.000Z` },
    ...{ installation: null, recipient: null, identity: null },
  };
  write(at(`place/${setName(set.id)}`), JSON.stringify(set));
  return set;
}
const write = (path: string, bytes: string | Buffer): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
};
const use = (set: FileSetRecord): void =>
  writeFilesState(config(), {
    set,
    sealedFor: null,
    left: 0,
    comparedAt: null,
    leftSince: null,
    waitingSince: null,
  });
type Made = { readonly storage: 'media'; readonly location: `${string}/${string}` };
const keep = (bytes: Buffer, file: Made = THUMBNAIL): void => write(at(`data/${storedText(file)}`), bytes);
const sendTo = (set: FileSetRecord, file: Made = THUMBNAIL) =>
  sendFile({ ...{ config: config(), place: place(), set, storages: storagesOf(config()) }, ...signal }, file);
const signal = { signal: new AbortController().signal };
const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const stored = async (set: FileSetRecord): Promise<string[]> =>
  (await listStreamFiles(place(), set.id, 'aa')).map(({ sha256 }) => sha256);
/** A backup of a moment long after everything else. */
const lateBackup = (): void => write(at('place/appctl-backup-20990101T000000Z.tar.zst'), 'x');
const prune = (over: Partial<ReturnType<typeof place>> = {}) =>
  pruneStreamFiles(
    { ...place(), ...over },
    {
      ...{ config: config(), database, installation: null, withoutBackups: [], dryRun: false },
    },
  );

test('what goes as superfluous is what the set in use has, not the one that was begun last', async () => {
  const bytes = randomBytes(100);
  keep(bytes);
  const [plain, between] = [setIn(1), setIn(2)];
  await sendTo(plain);
  await sendTo(between);
  lateBackup();
  expect(await prune()).toBe(0);
  use(plain);
  expect(await prune()).toBe(1);
  expect([await stored(plain), await stored(between)]).toEqual([[sha(bytes)], []]);
});

test('bytes that come back under a name are stored again, and are not the ones that go', async () => {
  const [first, other] = [randomBytes(100), randomBytes(120)];
  const set = setIn(1);
  use(set);
  for (const bytes of [first, other]) {
    keep(bytes);
    expect(await sendTo(set)).toBe(bytes.length);
    await sleep(5);
  }
  const newest = async () => (await listStreamFiles(place(), set.id, 'aa'))[0];
  keep(first);
  expect(await isStored(storagesOf(config()), THUMBNAIL, await newest())).toBe(false);
  expect(await sendTo(set)).toBe(first.length);
  expect(await sendTo(set)).toBe(0);
  expect(await isStored(storagesOf(config()), THUMBNAIL, await newest())).toBe(true);
  lateBackup();
  expect(await prune()).toBe(1);
  expect(await stored(set)).toEqual([sha(first)]);
});

test('what is kept again while files are removed stays', async () => {
  const bytes = randomBytes(100);
  const set = setIn(1);
  use(set);
  keep(bytes);
  await sendTo(set);
  rmSync(at(`data/${storedText(THUMBNAIL)}`));
  writeGoneFiles(config(), { [storedText(THUMBNAIL)]: '2027-01-31T10:30:00.000Z' });
  lateBackup();
  const whileListed: Parameters<typeof prune>[0] = {
    list(prefix) {
      if (prefix?.endsWith('/aa/')) keep(bytes);
      return place().list(prefix);
    },
  };
  expect(await prune(whileListed)).toBe(0);
  rmSync(at(`data/${storedText(THUMBNAIL)}`));
  expect(await prune()).toBe(1);
});

const fetchFrom = (
  over: Partial<ReturnType<typeof place>>,
  image: Database,
  opening: Opening | null = null,
) =>
  fetchFiles(image, {
    ...{ config: config(), place: { ...place(), ...over }, installation: null, opening },
    watcher: NO_WATCHER,
  });

test.each([false, true])('a file that cannot be read holds nothing up (encrypted: %s)', async (isSealed) => {
  const { identity, recipient } = await newIdentity();
  const opening = { identities: [identity], passphrase: null, tried: 'a key' };
  const set = { ...setIn(1), recipient: isSealed ? recipient : null };
  if (isSealed)
    set.identity = Buffer.from(await sealText(identity, { recipients: [recipient] })).toString('base64');
  write(at(`place/${setName(set.id)}`), JSON.stringify(set));
  const bytes = randomBytes(200_000);
  keep(bytes);
  await sendTo(set);
  rmSync(at('data/media'), { recursive: true });
  let failures = 0;
  const broken = {
    async read(name: string, range?: readonly [number, number]) {
      const found = await place().read(name, range);
      if (!name.startsWith('stream/files/') || found === null || failures === 0) return found;
      failures -= 1;
      return (async function* () {
        for await (const chunk of found) {
          yield chunk;
          throw new Error('EIO: i/o error, read');
        }
      })();
    },
  };
  const fetched = () => fetchFrom(broken, imageNaming([THUMBNAIL.location]), opening);
  failures = 2;
  expect(await fetched()).toEqual({
    fetched: 0,
    missing: [{ file: storedText(THUMBNAIL), reason: 'could not be read: EIO: i/o error, read' }],
  });
  failures = 1;
  expect(await fetched()).toEqual({ fetched: 1, missing: [] });
});

test.each(['away', 'unmounted', 'there'])(
  'of a place that is %s a restore asks for so much',
  async (state) => {
    const set = setIn(1);
    const files = ['a', 'b', 'c', 'd', 'e', 'f', '0'].map((digit) => ({
      ...({ storage: 'media', location: `${digit.repeat(64)}/thumbnail` } as const),
    }));
    for (const file of files) {
      keep(randomBytes(100), file);
      await sendTo(set, file);
    }
    rmSync(at('data/media'), { recursive: true });
    const asked: string[] = [];
    let lists = 0;
    const isAway = () => state !== 'there' && asked.length > 0;
    const over: Partial<ReturnType<typeof place>> = {
      async read(name, range) {
        if (!name.startsWith('stream/files/') && !isAway()) return place().read(name, range);
        asked.push(name);
        // The first three are bad wherever they are.
        if (state === 'there' && /([def0])\1{63}/.test(name)) return place().read(name, range);
        if (state === 'unmounted') return null;
        throw new Error('no answer');
      },
      async *list(prefix) {
        if (asked.length > 0) lists += 1;
        if (isAway() && state === 'away') throw new Error('no answer');
        if (!isAway()) yield* place().list(prefix);
      },
    };
    const { fetched, missing } = await fetchFrom(over, imageNaming(files.map(({ location }) => location)));
    const first = state === 'unmounted' ? 'a part of it is gone' : 'no answer';
    const rest = Array(4).fill('the place of backups does not answer any more');
    const reasons = [...Array(3).fill(first), ...(state === 'there' ? [] : rest)];
    expect(missing.map(({ reason }) => reason)).toEqual(reasons.map((one) => `could not be read: ${one}`));
    expect([fetched, asked.length, lists]).toEqual(state === 'there' ? [4, 10, 1] : [0, 6, 1]);
  },
);

test('other bytes than the row means are not put in for those that cannot be read', async () => {
  const set = setIn(1);
  const [meant, other] = [randomBytes(100), randomBytes(120)];
  for (const bytes of [meant, other]) {
    keep(bytes);
    await sendTo(set);
  }
  rmSync(at('data/media'), { recursive: true });
  const image = (bytes: Buffer) => imageNaming([THUMBNAIL.location], sha(bytes).slice(0, 12));
  const over: Partial<ReturnType<typeof place>> = {
    async read(name, range) {
      if (name.includes(sha(meant))) throw new Error('no answer');
      return place().read(name, range);
    },
  };
  expect(await fetchFrom(over, image(meant))).toEqual({
    fetched: 0,
    missing: [{ file: storedText(THUMBNAIL), reason: 'could not be read: no answer' }],
  });
  expect(await fetchFrom(over, image(other))).toEqual({ fetched: 1, missing: [] });
});

test('a folder that cannot be asked for a file has not lost it', async () => {
  symlinkSync('loop', at('place/loop'));
  write(at('place/file'), 'x');
  for (const name of ['gone', 'gone/x', 'file/x']) expect(await place().read(name)).toBe(null);
  await expect(place().read('loop/x')).rejects.toThrow('ELOOP');
});

test('since when files are left does not begin anew with each comparison', async () => {
  const bytes = randomBytes(100);
  const bundle = { storage: 'bundles', location: `${sha(bytes).slice(0, 2)}/${sha(bytes)}` } as const;
  write(at(`data/${storedText(bundle)}`), 'altered');
  const log = { info: () => undefined, error: () => undefined } as unknown as Log;
  const noted = async () => {
    const before = readFilesState(config())?.comparedAt ?? null;
    const shipper = new FileShipper({ config: config(), database, place: place(), log });
    shipper.poke();
    const comparedAt = () => readFilesState(config())?.comparedAt ?? null;
    await eventually(() => comparedAt() !== null && comparedAt() !== before);
    await shipper.end();
    return readFilesState(config());
  };
  const first = await noted();
  expect(first).toMatchObject({ left: 1, leftSince: expect.any(String) });
  await sleep(5);
  const second = await noted();
  expect(second?.comparedAt).not.toBe(first?.comparedAt);
  expect(second).toMatchObject({ left: 1, leftSince: first?.leftSince });
  write(at(`data/${storedText(bundle)}`), bytes);
  expect(await noted()).toMatchObject({ left: 0, leftSince: null, waitingSince: null });
});

test('what is kept is shipped before files are read again, and a server that stops does not wait for those', async () => {
  const set = setIn(1);
  const other = { storage: 'media', location: `${DIGEST}/medium` } as const;
  for (const file of [THUMBNAIL, other]) {
    keep(randomBytes(100), file);
    await sendTo(set, file);
  }
  use(set);
  const label = { storage: 'media', location: `${'b'.repeat(64)}/label` } as const;
  keep(randomBytes(100), label);
  noteKept(config().dataDir, label);
  let lists = 0;
  const reads = Promise.withResolvers<void>();
  const held: Partial<ReturnType<typeof place>> = {
    async *list(prefix) {
      if (prefix?.endsWith('/aa/')) lists += 1;
      if (prefix?.endsWith('/aa/') && lists === 2) await reads.promise;
      yield* place().list(prefix);
    },
  };
  const log = { info: () => undefined, error: () => undefined } as unknown as Log;
  const shipper = new FileShipper({ config: config(), database, place: { ...place(), ...held }, log });
  shipper.poke();
  await eventually(() => lists === 2);
  expect(await keptNotes(config().dataDir)).toEqual([]);
  expect(await listStreamFiles(place(), set.id, 'bb')).toHaveLength(1);
  const ended = shipper.end();
  reads.resolve();
  await ended;
  // What it had no time for is known to be.
  expect(readFilesState(config())).toMatchObject({ left: 0, comparedAt: null });
  const next = new FileShipper({ config: config(), database, place: place(), log });
  next.poke();
  await eventually(() => readFilesState(config())?.comparedAt !== null);
  await next.end();
});
