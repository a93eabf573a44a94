// A consistent copy of a SQLite database that others write to meanwhile. VACUUM INTO stops its process for as long as it
// takes, so it runs in one of its own (M22).
import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { systemClock } from '../clock.ts';
import { askOwn, serveOwn, startOwn } from '../own-process.ts';
import { yieldToOthers } from '../process-priority.ts';
import { syncDatabaseWhileWritten, syncWhileWritten } from '../steady-file.ts';
import { markCopying } from './copy-mark.ts';
import { giveFunctions } from './sqlite.ts';

/** The word with which the program begins as the process that copies. */
const WORD = 'copy-process';
/** For errors. */
const TASK = 'that copies the database';
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
/** The second order: to let the moment of the copy go, and take over the log. */
const LET_GO = { letGo: true } as const;

/**
 * Copies a SQLite file into a new one of mode 0600. Writers wait for nothing: what they wrote during the copy is taken
 * into the database by the process that copies when it ends. Left to them, one of their commits would take all of it, and
 * every request would wait for that: a mark beside the file tells them to leave it.
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
  let isCopied = false;
  const syncing = syncWhileWritten(target, () => isCopied);
  const mark = markCopying(source);
  const looking = setInterval(() => {
    mark.renew();
    if (!isCopied) onBytes(statSync(target, { throwIfNoEntry: false })?.size ?? 0);
  }, LOOK_MS);
  try {
    const order: Order = { source, target, form };
    await askOwn(child, order, TASK);
    isCopied = true;
    onBytes(statSync(target).size);
    await takeOverLog(child, source);
  } finally {
    isCopied = true;
    await syncing.catch(() => undefined);
    clearInterval(looking);
    mark.remove();
    child.kill('SIGKILL');
  }
}

/** Has the log taken into the database, which reaches the disk in small steps meanwhile. */
async function takeOverLog(child: ChildProcess, source: string): Promise<void> {
  let isTaken = false;
  const syncing = syncDatabaseWhileWritten(source, () => isTaken).catch(() => undefined);
  // The copy is there: whatever becomes of the log, a later checkpoint takes it.
  await askOwn(child, LET_GO, TASK).catch(() => undefined);
  isTaken = true;
  await syncing;
}

/** What the process that copies does: it keeps the moment of the copy until its parent tells it to let go. */
export function serveCopy(): void {
  yieldToOthers();
  // Connections that nobody uses again would be closed when memory is tidied up, and the moment lost.
  let keeper: Database | null = null;
  serveOwn<Order | typeof LET_GO>(async (order) => {
    if ('letGo' in order) return takeCheckpoint(keeper);
    keeper = await copy(order);
  });
}

/** @returns the connection whose reader keeps the moment of the copy */
async function copy({ source, target, form }: Order): Promise<Database> {
  const { default: Driver } = await import('better-sqlite3');
  process.umask(0o077);
  const keeper = new Driver(source, { readonly: true });
  keeper.exec('BEGIN');
  keeper.prepare('SELECT name FROM sqlite_master LIMIT 1').get();
  await (form === 'pages' ? copyPages(source, target) : copyTidily(source, target));
  return keeper;
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

/** Lets the reader go that has kept the log growing, and takes over what is in the log. */
async function takeCheckpoint(keeper: Database | null): Promise<void> {
  if (keeper === null) return;
  const { default: Driver } = await import('better-sqlite3');
  const writer = new Driver(keeper.name, { timeout: 0 });
  const checkpoint = writer.prepare('PRAGMA wal_checkpoint(PASSIVE)');
  const isDone = (): boolean => {
    const { busy, log, checkpointed } = checkpoint.get() as Record<'busy' | 'log' | 'checkpointed', number>;
    return busy === 0 && log - checkpointed <= REST_PAGES;
  };
  try {
    // What was in the log before the copy needs no reader to go.
    isDone();
    keeper.close();
    const untilMs = systemClock.monotonicMs() + CHECKPOINT_MS;
    while (!isDone() && systemClock.monotonicMs() < untilMs);
  } finally {
    writer.close();
  }
}
