// A consistent copy of a SQLite database that others write to meanwhile. VACUUM INTO stops its process for as long as it
// takes, so it runs in one of its own (M22).
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import { askOwn, serveOwn, startOwn } from '../own-process.ts';
import { yieldToOthers } from '../process-priority.ts';
import { syncWhileWritten } from '../steady-file.ts';
import { giveFunctions } from './sqlite.ts';

/** The word with which the program begins as the process that copies. */
const WORD = 'copy-process';
const LOOK_MS = 500;
/** So long the write-ahead log is taken over after a copy. */
const CHECKPOINT_MS = 15_000;
/** So much may be left of it: who follows the log always reads the last moments. Nobody waits long for that. */
const REST_PAGES = 2000;
/** KiB: each page is read once. */
const CACHE = -16_384;

interface Order {
  readonly source: string;
  readonly target: string;
  readonly form: CopyForm;
}

/** `tidy`: without free space, its pages in a new order. `pages`: page by page, so that a log of the source fits it. */
export type CopyForm = 'tidy' | 'pages';

/**
 * Copies a SQLite file into a new one of mode 0600. Writers wait for nothing: what they wrote during the copy is taken
 * into the database by this process when it ends. Left to them, one of their commits would take all of it, and every
 * request would wait for that.
 *
 * @param onBytes told now and then how large the copy is
 * @throws Error with the code of SQLite
 */
export async function copyOnline(
  source: string,
  target: string,
  onBytes: (bytes: number) => void = () => undefined,
  form: CopyForm = 'tidy',
): Promise<void> {
  const child = startOwn(WORD);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let isOver = false;
  const syncing = syncWhileWritten(target, () => isOver);
  const looking = setInterval(() => onBytes(statSync(target, { throwIfNoEntry: false })?.size ?? 0), LOOK_MS);
  try {
    const order: Order = { source, target, form };
    await askOwn(child, order, 'that copies the database');
    onBytes(statSync(target).size);
    await takeCheckpoint(source, () => {
      child.disconnect();
      return exited;
    });
  } finally {
    isOver = true;
    await syncing.catch(() => undefined);
    clearInterval(looking);
    child.kill('SIGKILL');
  }
}

/**
 * Lets the reader go that has kept the log growing, and takes over what is in the log. Begun before: a checkpoint of
 * another process finds this one at work and leaves it at that.
 */
async function takeCheckpoint(source: string, letGo: () => Promise<void>): Promise<void> {
  const { default: Driver } = await import('better-sqlite3');
  const connection = new Driver(source, { timeout: 0 });
  try {
    const checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    const isDone = (): boolean => {
      const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number };
      return log - checkpointed <= REST_PAGES;
    };
    isDone();
    let isFree = false;
    const freed = letGo().then(() => {
      isFree = true;
    });
    const untilMs = systemClock.monotonicMs() + CHECKPOINT_MS;
    while (!(isFree && isDone()) && systemClock.monotonicMs() < untilMs) {
      isDone();
      await setImmediate();
    }
    await freed;
  } catch {
    // A disk that takes no more says so to whoever writes next.
  } finally {
    connection.close();
  }
}

/** What the process that copies does: it keeps the moment of the copy until its parent is ready to let it go. */
export function serveCopy(): void {
  yieldToOthers();
  serveOwn<Order>(copy);
}

/** Connections that nobody uses again would be closed when memory is tidied up, and the moment lost. */
const kept: object[] = [];

async function copy({ source, target, form }: Order): Promise<void> {
  const { default: Driver } = await import('better-sqlite3');
  process.umask(0o077);
  const keeper = new Driver(source, { readonly: true });
  kept.push(keeper);
  keeper.exec('BEGIN');
  keeper.prepare('SELECT name FROM sqlite_master LIMIT 1').get();
  await (form === 'pages' ? copyPages(source, target) : copyTidily(source, target));
}

async function copyTidily(source: string, target: string): Promise<void> {
  const { default: Driver } = await import('better-sqlite3');
  const connection = new Driver(source, { readonly: true });
  giveFunctions(connection);
  connection.pragma(`cache_size = ${CACHE}`);
  // It is read back before anybody relies on it: waiting for the disk would make the writers wait, too.
  connection.pragma('synchronous = OFF');
  connection.prepare('VACUUM INTO ?').run(target);
  connection.close();
}

/** Steps of a copy that takes all pages at once. */
const ALL_PAGES = 0x7fffffff;

/** All at once, because a copy in steps begins anew with each write. */
async function copyPages(source: string, target: string): Promise<void> {
  const { default: Driver } = await import('better-sqlite3');
  const connection = new Driver(source, { readonly: true, timeout: 5000 });
  try {
    await connection.backup(target, { progress: () => ALL_PAGES });
  } finally {
    connection.close();
  }
}
