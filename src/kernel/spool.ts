import { readdirSync, statSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ctx } from './context.ts';
import { isBusy, isUnavailable } from './db/dialect.ts';
import { ensurePrivateFolder, streamPrivateFile } from './private-files.ts';
import { memoryKey } from './process-memory.ts';

/** More than a long outage of a busy shop brings, and less than a disk holds (D101). */
const MOST_FILES = 10_000;
const MOST_BYTES = 1024 ** 3;
/** Other processes write here too, so what is known goes stale. */
const MEASURE_EVERY = 100;
/**
 * A run takes in so many, then others get their turn: fewer than licensing 4.5 allows, since what waits in the memory of
 * this process is written in the same turns.
 */
const MOST_PER_RUN = 1000;

/** The spool can take no more, or cannot be written. */
export class SpoolFull extends Error {
  constructor(name: string) {
    super(`the spool ${name} is full`);
    this.name = 'SpoolFull';
  }
}

/** How much waits in a spool. */
export interface SpoolState {
  /** Events that wait. */
  files: number;
  bytes: number;
  /** Files that could not be read, set aside. */
  bad: number;
}

/** What became of a file. `setAside` asks for it to be kept for people. */
export type Taken = 'stored' | 'refused' | 'setAside' | 'left';

type Dir = Pick<Ctx, 'dataDir'>;

/** A folder in which events wait that came while the database was away (M9). */
export interface Spool {
  folderOf(ctx: Dir): string;
  /** What waits in this installation; nothing when there is no such folder. */
  state(ctx: Dir): SpoolState;
  /** How many wait. */
  depth(ctx: Dir): number;
  /**
   * Writes an event to the disk: by temporary name, fsync, rename, fsync of the folder.
   *
   * @throws SpoolFull; what the file system throws
   */
  write(ctx: Ctx, text: string): Promise<void>;
  /**
   * Gives each file to `take`, in the order of arrival. One that is stored or refused is removed before `done` is called,
   * one that cannot be read is set aside, and one that the database does not take for another reason than being away is
   * left for the next run: neither stands in the way of others.
   *
   * @param take null for a text that cannot be read
   * @returns how many were stored, refused, set aside and left
   * @throws what the database throws while it is away: the files stay
   */
  drain(ctx: Ctx, take: (ctx: Ctx, text: string) => Promise<Outcome>): Promise<Record<Taken, number>>;
}

/** What `drain` does with a file. */
export interface Outcome {
  readonly taken: 'stored' | 'refused' | 'setAside';
  /** Why it is set aside. */
  readonly reason?: string;
  /** Runs when the file is gone. */
  readonly done?: () => Promise<unknown>;
}

/** An event's file has the ULID of its arrival as its name: the order of names is that of arrival. */
const EVENT_FILE = /^[0-9A-HJKMNP-TV-Z]{26}\.json$/;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

function stateOf(folder: string): SpoolState {
  const state: SpoolState = { files: 0, bytes: 0, bad: 0 };
  for (const name of namesIn(folder)) {
    if (name.endsWith('.bad')) state.bad += 1;
    if (!EVENT_FILE.test(name)) continue;
    state.files += 1;
    state.bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  }
  return state;
}

const waitingIn = (folder: string): string[] => namesIn(folder).filter((name) => EVENT_FILE.test(name));

const hasRoom = ({ files, bytes }: SpoolState, more: number): boolean =>
  files < MOST_FILES && bytes + more <= MOST_BYTES;

async function* oneText(text: string): AsyncGenerator<string> {
  yield text;
}

/** What the file system answers, or null for a file that another process has taken. */
async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

type Take = Parameters<Spool['drain']>[1];

/** @returns what became of the file at a path; null when another process has taken it in */
async function takeFile(
  ctx: Ctx,
  path: string,
  take: Take,
  forget: (ctx: Ctx) => void,
): Promise<Taken | null> {
  try {
    const text = await unlessGone(readFile(path, 'utf8'));
    if (text === null) return null;
    const outcome = await take(ctx, text);
    if (outcome.taken !== 'setAside') {
      await rm(path, { force: true });
      forget(ctx);
      await outcome.done?.();
      return outcome.taken;
    }
    // It may hold a payment, and must not stand in the way of others.
    if ((await unlessGone(rename(path, `${path}.bad`).then(() => true))) === null) return null;
    forget(ctx);
    ctx.log.error({ file: path, reason: outcome.reason }, 'a spooled event was set aside');
    return 'setAside';
  } catch (error) {
    if (isUnavailable(error) || isBusy(error)) throw error;
    ctx.log.error({ err: error, file: path }, 'a spooled event could not be processed');
    return 'left';
  }
}

/**
 * Declares a spool.
 *
 * @param name of the folder below `spool` in the data directory
 * @param prefix of the ids whose ULIDs become names of files
 */
export function spoolOf(name: string, prefix: string): Spool {
  const measured = memoryKey<{ state: SpoolState | null; writes: number }>(`spool-${name}`, () => ({
    state: null,
    writes: 0,
  }));
  const folderOf = ({ dataDir }: Dir): string => join(dataDir, 'spool', name);

  const forget = (ctx: Ctx): void => {
    ctx.memory.of(measured).state = null;
  };

  return {
    folderOf,
    state: (ctx) => stateOf(folderOf(ctx)),
    depth: (ctx) => waitingIn(folderOf(ctx)).length,
    async write(ctx, text) {
      const folder = folderOf(ctx);
      ensurePrivateFolder(folder);
      const bytes = Buffer.byteLength(text);
      const memory = ctx.memory.of(measured);
      if (memory.state === null || memory.writes % MEASURE_EVERY === 0 || !hasRoom(memory.state, bytes))
        memory.state = stateOf(folder);
      if (!hasRoom(memory.state, bytes)) throw new SpoolFull(name);
      memory.state.files += 1;
      memory.state.bytes += bytes;
      memory.writes += 1;
      const file = `${ctx.newId(prefix).slice(prefix.length + 1)}.json`;
      await streamPrivateFile(join(folder, file), oneText(text), { replace: true });
    },
    async drain(ctx, take) {
      const counts: Record<Taken, number> = { stored: 0, refused: 0, setAside: 0, left: 0 };
      for (const file of waitingIn(folderOf(ctx)).sort()) {
        // What is left does not count: it would otherwise keep those behind it from ever getting their turn.
        if (counts.stored + counts.refused + counts.setAside >= MOST_PER_RUN) break;
        const what = await takeFile(ctx, join(folderOf(ctx), file), take, forget);
        if (what !== null) counts[what] += 1;
      }
      return counts;
    },
  };
}
