import { readdirSync, statSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from '#kernel/context.ts';
import { ensurePrivateFolder, streamPrivateFile } from '#kernel/private-files.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { ids } from '#licensing/contract/ids.ts';

/** More than a long outage of a busy shop brings, and less than a disk holds (D101). */
const MOST_FILES = 10_000;
const MOST_BYTES = 1024 ** 3;
/** Other processes write here too, so what is known goes stale. */
const MEASURE_EVERY = 100;

/** The spool can take no more, or cannot be written. */
export class SpoolFull extends Error {
  constructor() {
    super('the spool of inbound events is full');
    this.name = 'SpoolFull';
  }
}

/** How much waits in the spool. */
export interface SpoolState {
  /** Events that wait. */
  files: number;
  bytes: number;
  /** Files that could not be read, set aside. */
  bad: number;
}

const measured = memoryKey<{ state: SpoolState | null; writes: number }>('inbound-spool', () => ({
  state: null,
  writes: 0,
}));

/** The folder of a data directory that events wait in. */
export const folderOf = ({ dataDir }: Pick<Ctx, 'dataDir'>): string => join(dataDir, 'spool', 'inbound');

/** An event's file has the ULID of its arrival as its name: the order of names is that of arrival. */
const EVENT_FILE = /^[0-9A-HJKMNP-TV-Z]{26}\.json$/;

/** What waits in this installation's spool; nothing when there is none. */
export function spoolState(ctx: Pick<Ctx, 'dataDir'>): SpoolState {
  const folder = folderOf(ctx);
  const state: SpoolState = { files: 0, bytes: 0, bad: 0 };
  for (const name of namesIn(folder)) {
    if (name.endsWith('.bad')) state.bad += 1;
    if (!EVENT_FILE.test(name)) continue;
    state.files += 1;
    state.bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return state;
}

/**
 * Writes an event to the disk: by temporary name, fsync, rename, fsync of the folder (M9).
 *
 * @throws SpoolFull; what the file system throws
 */
export async function writeSpool(ctx: Ctx, text: string): Promise<void> {
  const folder = folderOf(ctx);
  ensurePrivateFolder(folder);
  const bytes = Buffer.byteLength(text);
  const memory = ctx.memory.of(measured);
  if (memory.state === null || memory.writes % MEASURE_EVERY === 0 || !hasRoom(memory.state, bytes))
    memory.state = spoolState(ctx);
  if (!hasRoom(memory.state, bytes)) throw new SpoolFull();
  memory.state.files += 1;
  memory.state.bytes += bytes;
  memory.writes += 1;
  const name = `${ctx.newId(ids.inboundEvent).slice(4)}.json`;
  await streamPrivateFile(join(folder, name), oneText(text), { replace: true });
}

const hasRoom = ({ files, bytes }: SpoolState, more: number): boolean =>
  files < MOST_FILES && bytes + more <= MOST_BYTES;

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}

/** Names of the files that wait, in the order of arrival. */
export const listSpool = (ctx: Ctx): string[] =>
  namesIn(folderOf(ctx))
    .filter((name) => EVENT_FILE.test(name))
    .sort();

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The text of a file; null when another process has taken it in. */
export async function readSpool(ctx: Ctx, name: string): Promise<string | null> {
  try {
    return await readFile(join(folderOf(ctx), name), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Removes a file whose event is in the inbox. */
export async function removeSpool(ctx: Ctx, name: string): Promise<void> {
  await rm(join(folderOf(ctx), name), { force: true });
  ctx.memory.of(measured).state = null;
}

/**
 * Sets a file aside that cannot be taken in: it may hold a purchase, and must not stand in the way of others.
 *
 * @returns false when another process has set it aside
 */
export async function setAside(ctx: Ctx, name: string): Promise<boolean> {
  const path = join(folderOf(ctx), name);
  try {
    await rename(path, `${path}.bad`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  ctx.memory.of(measured).state = null;
  return true;
}
