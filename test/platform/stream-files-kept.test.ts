// What is removed from the files of the stream of backups, and what is taken from them again.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import { storedText } from '#kernel/storage/kept-notes.ts';
import { folderPlace } from '#platform/backup/place-folder.ts';
import { setName } from '#platform/backup/stream/file-names.ts';
import type { FileSetRecord } from '#platform/backup/stream/file-records.ts';
import { listStreamFiles } from '#platform/backup/stream/file-shelf.ts';
import { writeFilesState } from '#platform/backup/stream/files-state.ts';
import { storagesOf } from '../../src/app/backup/source.ts';
import { pruneStreamFiles } from '../../src/app/backup/stream/files/prune.ts';
import { sendFile } from '../../src/app/backup/stream/files/send.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

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
/** It has no table. */
const database = { db: { dialect: 'sqlite', knex: { raw: async () => [] } } } as unknown as Database;
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
  writeFilesState(config(), { set, sealedFor: null, left: 0, comparedAt: null });
const keep = (bytes: Buffer, file = THUMBNAIL): void => write(at(`data/${storedText(file)}`), bytes);
const sendTo = (set: FileSetRecord, file = THUMBNAIL) =>
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
