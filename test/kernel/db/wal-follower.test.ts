// What is followed of a write-ahead log, replayed into an older copy, gives the database: with writers in two processes,
// checkpoints of everybody, transactions that are taken back and a log that begins anew again and again (M22).
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Driver from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyOnline } from '#kernel/db/online-copy.ts';
import { openSqlite } from '#kernel/db/sqlite.ts';
import { WalFollower, type WalNews } from '#kernel/db/wal/follower.ts';
import { BrokenLog, Replay, type WalPiece } from '#kernel/db/wal/replay.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const COLUMNS = 'id INTEGER PRIMARY KEY, who TEXT, text TEXT';

let folder: string;
let path: string;
let others: ChildProcess[];
beforeEach(() => {
  folder = scratchFolder('appctl-wal-');
  path = join(folder, 'a.db');
  others = [];
  const database = new Driver(path);
  database.pragma('journal_mode = wal');
  database.exec(`CREATE TABLE facts (${COLUMNS}); CREATE INDEX facts_who ON facts (who, text)`);
  database.close();
});
afterEach(async () => {
  for (const other of others) await ended(other);
  rmSync(folder, { recursive: true, force: true });
});

const otherWriter = (seed: number): ChildProcess => {
  const other = spawn(process.execPath, [join(import.meta.dirname, 'wal-writer.mjs'), path, String(seed)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  others.push(other);
  return other;
};

const ended = async (other: ChildProcess): Promise<void> => {
  if (other.exitCode !== null) return;
  other.kill('SIGTERM');
  await new Promise((resolve) => other.once('exit', resolve));
};

/** Lets the other process write, or not. */
const told = async (other: ChildProcess, word: 'pause' | 'go'): Promise<void> => {
  other.send(word);
  await once(other, 'message');
};

/** Pieces of at most a few frames, as a shipper would make them. */
const piecesOf = async (news: WalNews): Promise<WalPiece[]> => {
  const pieces: WalPiece[] = [];
  const step = 4120 * 7;
  for (let at = news.from.offset; at < news.to.offset; at += step) {
    const frames = await news.read(at, Math.min(at + step, news.to.offset));
    pieces.push({ head: news.head, offset: at, frames });
  }
  return pieces;
};

/** All rows, in one number; the file is whole. */
const digestOf = (file: string): string => {
  const database = new Driver(file);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const hash = createHash('sha256');
  for (const row of database.prepare('SELECT * FROM facts ORDER BY id').iterate())
    hash.update(JSON.stringify(row));
  database.close();
  return hash.digest('hex');
};

const replayed = async (base: string, pieces: readonly WalPiece[], begin: WalFollower['position']) => {
  const replay = await Replay.open(base);
  if (begin) replay.begin(begin);
  try {
    for (const piece of pieces) await replay.apply(piece);
  } finally {
    await replay.close();
  }
  return digestOf(base);
};

describe('a log that is followed', () => {
  it.each([1, 2, 3])('gives the database again, whoever wrote into it (%i)', async (seed) => {
    const database = openSqlite(path, { busyTimeoutMs: 60_000, create: false });
    const { follower } = await WalFollower.open(path, null);
    const begin = follower.position;
    const base = join(folder, 'base.db');
    const pieces: WalPiece[] = [];
    let renewed = 0;
    const keep = async (news: WalNews) => void pieces.push(...(await piecesOf(news)));
    const take = async () => {
      const news = await follower.look();
      if (news === null) return;
      await keep(news);
      follower.taken(news);
    };
    const other = otherWriter(seed);
    let writing = true;
    const ownWrites = (async () => {
      while (writing) {
        await database.transaction(async (db) => {
          await db.knex('facts').insert({ who: 'server', text: 'y'.repeat(Math.random() * 900) });
        });
        await sleep(Math.random() * 4);
      }
    })();
    await sleep(200);
    const copied = copyOnline(path, base, undefined, 'pages');
    const renew = async () => {
      if (await database.betweenCommits?.(() => follower.renew(keep))) renewed += 1;
    };
    for (let looks = 0; looks < 30; looks += 1) {
      await sleep(Math.random() * 40);
      await take();
      if (looks % 5 === 0) await renew();
    }
    await copied;
    // Under this much writing it succeeds by chance; in a pause it must.
    for (let pauses = 0; pauses < 3; pauses += 1) {
      await told(other, 'pause');
      await take();
      await renew();
      await told(other, 'go');
      await sleep(50);
      await take();
    }
    writing = false;
    await ownWrites;
    await ended(other);
    await take();
    const logs = new Set(pieces.map(({ head }) => head.toString('hex', 16, 24)));
    await follower.close();
    await database.close();
    expect(renewed).toBeGreaterThanOrEqual(3);
    expect(logs.size).toBeGreaterThan(1);
    expect(await replayed(base, pieces, begin)).toBe(digestOf(path));
  });

  it('is gone on with by the next follower, if nothing was missed', async () => {
    const keep = new Driver(path);
    keep.exec("INSERT INTO facts (who) VALUES ('first')");
    const first = await WalFollower.open(path, null);
    const base = join(folder, 'base.db');
    await copyOnline(path, base, undefined, 'pages');
    const begin = first.follower.position;
    keep.exec("INSERT INTO facts (who) VALUES ('second')");
    const news = (await first.follower.look()) as WalNews;
    const pieces = await piecesOf(news);
    first.follower.taken(news);
    const known = first.follower.position;
    await first.follower.close();
    keep.exec("INSERT INTO facts (who) VALUES ('third')");
    const second = await WalFollower.open(path, known);
    expect([first.continues, second.continues]).toEqual([false, true]);
    pieces.push(...(await piecesOf((await second.follower.look()) as WalNews)));
    await second.follower.close();
    // Everything went into the database and the log began anew while nobody followed it.
    keep.pragma('wal_checkpoint(TRUNCATE)');
    keep.exec("INSERT INTO facts (who) VALUES ('fourth')");
    const third = await WalFollower.open(path, known);
    expect(third.continues).toBe(false);
    await third.follower.close();
    keep.exec("DELETE FROM facts WHERE who = 'fourth'");
    keep.close();
    expect(await replayed(base, pieces, begin)).toBe(digestOf(path));
  });

  it('takes no frames of a commit whose process died before it counted', async () => {
    const database = new Driver(path);
    const { follower } = await WalFollower.open(path, null);
    const base = join(folder, 'base.db');
    await copyOnline(path, base, undefined, 'pages');
    const begin = follower.position;
    const pieces: WalPiece[] = [];
    const take = async () => {
      const news = await follower.look();
      if (news === null) return false;
      pieces.push(...(await piecesOf(news)));
      follower.taken(news);
      return true;
    };
    database.exec("INSERT INTO facts (who) VALUES ('first')");
    expect(await take()).toBe(true);
    // The frames of a commit as they are on the disk before SQLite lets them count: whole, with its mark.
    const other = join(folder, 'other.db');
    await copyOnline(path, other, undefined, 'pages');
    copyFileSync(`${path}-wal`, `${other}-wal`);
    const dying = new Driver(other);
    dying.exec("INSERT INTO facts (who) VALUES ('died')");
    const grown = readFileSync(`${other}-wal`);
    const { size } = statSync(`${path}-wal`);
    expect(grown.length).toBeGreaterThan(size);
    expect(grown.subarray(0, size)).toEqual(readFileSync(`${path}-wal`));
    appendFileSync(`${path}-wal`, grown.subarray(size));
    dying.close();
    expect(await take()).toBe(false);
    for (const who of ['second', 'third']) {
      database.exec(`INSERT INTO facts (who) VALUES ('${who}')`);
      expect(await take()).toBe(true);
    }
    await follower.close();
    database.close();
    expect(await replayed(base, pieces, begin)).toBe(digestOf(path));
  });

  it('returns commits again that could not be kept', async () => {
    const keep = new Driver(path, { timeout: 0 });
    const { follower } = await WalFollower.open(path, null);
    keep.exec("INSERT INTO facts (who) VALUES ('first')");
    const news = (await follower.look()) as WalNews;
    follower.notTaken();
    keep.pragma('wal_checkpoint(TRUNCATE)');
    keep.exec("INSERT INTO facts (who) VALUES ('second')");
    const again = (await follower.look()) as WalNews;
    expect([again.from, again.to.offset > news.to.offset]).toEqual([news.from, true]);
    await follower.close();
    keep.close();
  });
});

describe('pieces that do not fit', () => {
  const recorded = async (): Promise<{ base: string; pieces: WalPiece[] }> => {
    const base = join(folder, 'base.db');
    copyFileSync(path, base);
    const keep = new Driver(path);
    const { follower } = await WalFollower.open(path, null);
    for (let i = 0; i < 30; i += 1)
      keep.exec(`INSERT INTO facts (who, text) VALUES ('${i}', '${'z'.repeat(2000)}')`);
    const pieces = await piecesOf((await follower.look()) as WalNews);
    await follower.close();
    keep.close();
    return { base, pieces };
  };

  it('are refused when one is missing, altered or doubled', async () => {
    const { base, pieces } = await recorded();
    const [first, second, third] = pieces as [WalPiece, WalPiece, WalPiece];
    const altered = { ...second, frames: Buffer.from(second.frames) };
    altered.frames[5000] = (altered.frames[5000] as number) ^ 1;
    for (const bad of [[first, third], [second], [first, altered], [first, second, second]]) {
      await expect(replayed(base, bad, null)).rejects.toThrow(BrokenLog);
    }
    expect(await replayed(base, pieces, null)).toBe(digestOf(path));
  });
});
