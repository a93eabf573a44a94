// While a SQLite file is copied, its writer leaves the write-ahead log to the process that copies, and has it become
// small in steps afterwards.
import { existsSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { markCopying } from '#kernel/db/copy-mark.ts';
import { checkpointsOf, copyMarkOf, isBeingCopied } from '#kernel/db/lane.ts';
import { copyOnline } from '#kernel/db/online-copy.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const folder = scratchFolder('appctl-copy-mark-');
const file = join(folder, 'a.db');
const USUAL = { wal_autocheckpoint: 2000, journal_size_limit: 67_108_864 };
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const ending of ['', '-wal', '-shm', '-copying']) rmSync(file + ending, { force: true });
});

function opened() {
  const writer = new Driver(file);
  writer.pragma('journal_mode = WAL');
  writer.pragma('wal_autocheckpoint = 2000');
  writer.exec('CREATE TABLE t (a)');
  let now = 0;
  const { onBegin, onPause } = checkpointsOf(writer, file, USUAL, () => (now += 1000));
  const insert = writer.prepare('INSERT INTO t SELECT randomblob(3000)');
  const write = (rows: number): void => {
    for (let i = 0; i < rows; i++) {
      onBegin();
      insert.run();
    }
  };
  const inForce = () => [
    writer.pragma('wal_autocheckpoint', { simple: true }),
    writer.pragma('journal_size_limit', { simple: true }),
  ];
  return { writer, onPause, write, inForce };
}

test('the log is left alone while the mark is there, and looked after again when it is gone', () => {
  const { writer, onPause, write, inForce } = opened();
  const mark = markCopying(file);
  write(300);
  expect(inForce()).toEqual([0, -1]);
  const before = statSync(file).size;
  onPause();
  expect(statSync(file).size).toBe(before);
  mark.remove();
  write(1);
  expect(inForce()).toEqual([USUAL.wal_autocheckpoint, USUAL.journal_size_limit]);
  onPause();
  expect(statSync(file).size).toBeGreaterThan(before);
  writer.close();
});

test('a log that grew beyond its usual size becomes small in steps', () => {
  const { writer, write, inForce } = opened();
  const mark = markCopying(file);
  write(1);
  writer.exec('INSERT INTO t SELECT zeroblob(150000000)');
  mark.remove();
  const sizes: unknown[] = [];
  for (let i = 0; i < 4; i++) {
    write(1);
    sizes.push(inForce()[1]);
    writer.pragma('wal_checkpoint(PASSIVE)');
    write(1);
  }
  const large = sizes.filter((size) => Number(size) > USUAL.journal_size_limit);
  expect(large.length).toBeGreaterThanOrEqual(2);
  expect(large).toEqual([...large].sort((one, other) => Number(other) - Number(one)));
  expect(sizes.at(-1)).toBe(USUAL.journal_size_limit);
  expect(statSync(`${file}-wal`).size).toBeLessThanOrEqual(USUAL.journal_size_limit);
  writer.close();
});

test('a mark that nobody renews is of a process that died', () => {
  const mark = markCopying(file);
  expect(isBeingCopied(file)).toBe(true);
  utimesSync(copyMarkOf(file), 1, 1);
  expect(isBeingCopied(file)).toBe(false);
  mark.renew();
  expect(isBeingCopied(file)).toBe(true);
  mark.remove();
  expect(isBeingCopied(file)).toBe(false);
});

test('a copy leaves no mark, and takes over what was written while it was made', async () => {
  const { writer, write } = opened();
  write(500);
  const target = join(folder, 'copy.db');
  const copying = copyOnline(file, target);
  await expect.poll(() => existsSync(copyMarkOf(file))).toBe(true);
  write(300);
  await copying;
  expect(existsSync(copyMarkOf(file))).toBe(false);
  const { log, checkpointed } =
    (writer.pragma('wal_checkpoint(PASSIVE)') as Record<string, number>[])[0] ?? {};
  expect(checkpointed).toBe(log);
  const copied = new Driver(target, { readonly: true });
  const count = copied.prepare('SELECT count(*) FROM t').pluck().get() as number;
  expect(count).toBeGreaterThanOrEqual(500);
  copied.close();
  writer.close();
}, 60_000);
