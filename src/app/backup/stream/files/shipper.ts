import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime, SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import {
  dropNote,
  keptNotes,
  keptNotesFolder,
  type StorageName,
  type StoredName,
  storedText,
  takeNote,
} from '#kernel/storage/kept-notes.ts';
import {
  byStoredName,
  type FilesState,
  forgetGoneFile,
  listStreamFiles,
  type PlacedStreamFile,
  shardOf,
  writeFilesState,
} from '#platform/backup/index.ts';
import { type BackupSource, storagesOf } from '../../source.ts';
import { Pauses } from '../pauses.ts';
import type { StreamParts } from '../stream.ts';
import { AlteredFile, dropUnsent, isStored, mayHaveAny, sendFile, UnreadFile } from './send.ts';
import { openFileSet } from './set.ts';

const NOT_OPENED = 'nothing was compared yet';
const DAY_MS = SECONDS_PER_DAY * 1000;
/** How often it is noted how many files are left. */
const NOTE_MS = 1000;
/** A server that stops waits so long for the place of backups. */
const LAST_STORE_MS = 5000;

/** One pass over what waits. */
interface Round {
  /** What could not be read from this disk; the others go on. */
  readonly unread: Set<string>;
  /** How many of those the comparison found: they gather at its end. */
  passed: number;
  /** The first of those failures. */
  trouble: UnreadFile | null;
}

/** What a comparison still has to read: the names of these files do not tell their bytes. */
interface Reading {
  /** ISO, of the comparison. */
  readonly at: string;
  /** In the order of their shards. */
  readonly files: StoredName[];
  /** What the place has in the shard of the last one. */
  there: { readonly shard: string; readonly files: Placed } | null;
}

/** Whole files by their names, those of the bytes that were stored last first. */
type Placed = ReadonlyMap<string, readonly PlacedStreamFile[]>;

/**
 * Takes files that lie beside the database to the place of backups. What is kept from now on is noted by whoever keeps
 * it; at the beginning and once a day everything that is here is compared with what the place has. That goes by names;
 * files of which those say too little are read once everything else is shipped.
 */
export class FileShipper {
  readonly #parts: StreamParts;
  readonly #storages: BackupSource['storages'];
  readonly #over = new AbortController();
  readonly #pauses = new Pauses();
  #running: Promise<void> | null = null;
  #state: FilesState | null = null;
  /** What the comparison found. */
  #left: StoredName[] = [];
  /** Files that are damaged on this disk: they count as left. */
  readonly #damaged = new Set<string>();
  #comparedMs: number | null = null;
  #reading: Reading | null = null;
  #isEnding = false;
  #notedMs = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#storages = storagesOf(parts.config);
    // From here on files are noted.
    ensurePrivateFolder(keptNotesFolder(parts.config.dataDir));
    dropUnsent(parts.config);
  }

  /** Begins to ship what waits, if nobody does and the last failure is long enough ago. */
  poke(): void {
    if (this.#running !== null || !this.#pauses.isOver(systemClock.monotonicMs())) return;
    const { log, place } = this.#parts;
    this.#running = this.#ship()
      .then(() => {
        if (this.#pauses.end())
          log.info(`files of the stream of backups are stored in ${place.display} again`);
      })
      .catch((err: unknown) => {
        if (this.#over.signal.aborted) return;
        if (this.#pauses.begin(systemClock.monotonicMs()))
          log.error({ err }, `files of the stream of backups cannot be stored in ${place.display}`);
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Ships what was kept last, if that is soon done; the next process goes on with the rest. */
  async end(): Promise<void> {
    this.#isEnding = true;
    const shipped = async (): Promise<void> => {
      await this.#running;
      if (this.#state === null) return;
      this.poke();
      await this.#running;
    };
    await Promise.race([shipped(), sleep(LAST_STORE_MS, undefined, { ref: false })]);
    this.#over.abort();
  }

  async #ship(): Promise<void> {
    if (this.#comparedMs === null || systemClock.monotonicMs() - this.#comparedMs > DAY_MS)
      await this.#compare();
    const round: Round = { unread: new Set(), passed: 0, trouble: null };
    while (!this.#over.signal.aborted) {
      const noted = (await keptNotes(this.#parts.config.dataDir)).filter(
        (file) => !round.unread.has(storedText(file)),
      );
      for (const file of noted) await this.#sendNoted(file, round);
      if (noted.length === 0 && !(await this.#sendLeft(round)) && !(await this.#readNext())) break;
    }
    if (round.trouble !== null) throw round.trouble;
  }

  /** Finds what lies here and is not whole in the place. */
  async #compare(): Promise<void> {
    const { config, database, place } = this.#parts;
    // Anew each time: the place may have been emptied, or be another one.
    const state = await openFileSet(config, database, place, systemClock.epochMs());
    // What was kept while no server shipped is only known once this has ended.
    const at = isoTime(systemClock.epochMs());
    this.#state =
      this.#comparedMs === null
        ? { ...state, comparedAt: null, waitingSince: state.waitingSince ?? at }
        : state;
    this.#note({});
    const startedMs = systemClock.monotonicMs();
    const left: StoredName[] = [];
    const files: StoredName[] = [];
    for (const [shard, names] of await this.#namesHere()) {
      this.#over.signal.throwIfAborted();
      const there = await this.#placed(shard);
      for (const name of names)
        if (!there.has(storedText(name))) left.push(name);
        else if (mayHaveAny(name)) files.push(name);
    }
    this.#left = left;
    this.#damaged.clear();
    this.#comparedMs = startedMs;
    this.#reading = files.length > 0 ? { at, files, there: null } : null;
    this.#note({ left: left.length, ...(files.length === 0 && comparedWhole(at)) });
  }

  /** By the shards in which the place has them. */
  async #namesHere(): Promise<ReadonlyMap<string, readonly StoredName[]>> {
    const here = new Map<string, StoredName[]>();
    for (const storage of Object.keys(this.#storages) as StorageName[])
      for await (const location of this.#storages[storage].all()) {
        const shard = shardOf(location);
        const known = here.get(shard);
        if (known) known.push({ storage, location });
        else here.set(shard, [{ storage, location }]);
      }
    return here;
  }

  async #placed(shard: string): Promise<Placed> {
    if (this.#state === null) throw new Error(NOT_OPENED);
    const files = await listStreamFiles(this.#parts.place, this.#state.set.id, shard);
    return byStoredName(files.filter(({ isWhole }) => isWhole));
  }

  /** Reads one file that the comparison has left. @returns false when there is none, or no time for it */
  async #readNext(): Promise<boolean> {
    const reading = this.#reading;
    const file = reading?.files.at(-1);
    if (reading === null || file === undefined || this.#isEnding) return false;
    const shard = shardOf(file.location);
    if (reading.there?.shard !== shard) reading.there = { shard, files: await this.#placed(shard) };
    if (this.#isEnding) return false;
    const [newest] = reading.there.files.get(storedText(file)) ?? [];
    // Before those that were passed, which are at the end.
    if (!(await isStored(this.#storages, file, newest))) this.#left.unshift(file);
    reading.files.pop();
    if (reading.files.length > 0) return true;
    this.#reading = null;
    this.#note({ left: this.#left.length + this.#damaged.size, ...comparedWhole(reading.at) });
    return true;
  }

  /** A note that is left while its file is sent stays for the next turn. */
  async #sendNoted(file: StoredName, round: Round): Promise<void> {
    this.#over.signal.throwIfAborted();
    const { dataDir } = this.#parts.config;
    await takeNote(dataDir, file);
    forgetGoneFile(this.#parts.config, storedText(file));
    if (!(await this.#send(file, round))) return;
    await dropNote(dataDir, file);
    this.#noteLeft();
  }

  /** The next one that the comparison found. @returns false when there is none */
  async #sendLeft(round: Round): Promise<boolean> {
    const at = this.#left.length - 1 - round.passed;
    const file = this.#left[at];
    if (file === undefined) return false;
    if (await this.#send(file, round)) this.#left.splice(at, 1);
    else round.passed += 1;
    this.#noteLeft();
    return true;
  }

  /** @returns whether it is settled: stored, or nothing that can be. @throws what the place says */
  async #send(file: StoredName, round: Round): Promise<boolean> {
    if (this.#state === null) throw new Error(NOT_OPENED);
    const { set } = this.#state;
    const { config, place, log } = this.#parts;
    const name = storedText(file);
    try {
      await sendFile({ config, place, set, storages: this.#storages, signal: this.#over.signal }, file);
      this.#damaged.delete(name);
      return true;
    } catch (error) {
      if (error instanceof AlteredFile) {
        log.error(`${error.message}: it is not shipped to the stream of backups`);
        this.#damaged.add(name);
        return true;
      }
      if (!(error instanceof UnreadFile)) throw error;
      round.unread.add(name);
      round.trouble ??= error;
      return false;
    }
  }

  /** Now and then, and at the end. */
  #noteLeft(): void {
    const nowMs = systemClock.monotonicMs();
    const left = this.#left.length + this.#damaged.size;
    if (left === this.#state?.left || (this.#left.length > 0 && nowMs - this.#notedMs < NOTE_MS)) return;
    this.#notedMs = nowMs;
    this.#note({ left });
  }

  #note(change: Partial<FilesState>): void {
    if (this.#state === null) return;
    const state = { ...this.#state, ...change };
    // One moment for as long as some are left, however often they are compared.
    const leftSince = state.left === 0 ? null : (state.leftSince ?? isoTime(systemClock.epochMs()));
    this.#state = { ...state, leftSince };
    writeFilesState(this.#parts.config, this.#state);
  }
}

/** It has ended: what is kept from then on is noted one by one. */
const comparedWhole = (comparedAt: string): Partial<FilesState> => ({ comparedAt, waitingSince: null });

/** @returns null where no file is kept on this machine: a bucket has its own copies */
export const fileShipperOf = (parts: StreamParts): FileShipper | null =>
  storagesOf(parts.config).bundles.kind === 'file' ? new FileShipper(parts) : null;
