import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime, SECONDS_PER_DAY, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Database } from '#kernel/db/database.ts';
import { isBeingCopied } from '#kernel/db/lane.ts';
import { LostTrack, WalFollower, type WalNews } from '#kernel/db/wal/follower.ts';
import type { Log } from '#kernel/log.ts';
import {
  type BackupPlace,
  forgetStreamState,
  freeBytes,
  packSegment,
  readStreamState,
  SEGMENT_BYTES,
  Spool,
  type StreamState,
  streamFolder,
  writeStreamState,
} from '#platform/backup/index.ts';
import { makeBase } from './base.ts';
import { pruneStreamFiles } from './files/prune.ts';
import { beginLog, closedFile, fileState, mayGoOn } from './log.ts';
import { pruneStream } from './prune.ts';
import { hasLog, Storing } from './storing.ts';

export interface StreamParts {
  readonly config: Config;
  readonly database: Database;
  readonly place: BackupPlace;
  readonly log: Log;
}

/** So old the newest state may be that a restore begins with: a day of commits takes seconds to replay. */
const BASE_MS = SECONDS_PER_DAY * 1000;
/** After a failure of a base. */
const BASE_PAUSE_MS = 60_000;
/** A server that stops waits so long for the place of backups. */
const LAST_STORE_MS = 5000;
const SETTLED_MS = 100;
/** So much may wait for a place that cannot be reached; then the log of the database must be let go. */
const MOST_WAITING_BYTES = 2 * 1024 ** 3;
/** A disk that is nearly full anyway still takes so much. */
const LEAST_WAITING_BYTES = 64 * 1024 ** 2;
/** More than the difference between two looks at a clock that is corrected. */
const MOST_AHEAD_MS = 60_000;
/** Waiting segments leave so much of the disk to the database. */
const LEAST_FREE_BYTES = 1024 ** 3;

/**
 * Ships what is committed to the place of backups, as it comes. No commit is missing in a log; where one may be, another
 * log begins, with a copy of the database.
 */
export class BackupStream {
  readonly #parts: StreamParts;
  readonly #path: string;
  readonly #spool: Spool;
  readonly #storing: Storing;
  #follower: WalFollower | null = null;
  #state: StreamState | null = null;
  #basing: { readonly over: AbortController; readonly done: Promise<void> } | null = null;
  #nextBaseMs = 0;
  /** Counts steps. */
  #begun = 0;
  /** The last step that took everything. */
  #taken = 0;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#path = parts.database.displayUrl.slice('sqlite:'.length);
    this.#spool = new Spool(streamFolder(parts.config));
    const { log, place } = parts;
    this.#storing = new Storing(this.#spool, place, {
      fails: (err) => log.error({ err }, `the stream of backups cannot be stored in ${place.display}`),
      works: () => log.info(`the stream of backups is stored in ${place.display} again`),
    });
  }

  /** Takes what was committed since the last time. @throws whatever keeps it from doing so: it may be called again */
  async step(): Promise<void> {
    const nowMs = systemClock.monotonicMs();
    this.#begun += 1;
    await this.#giveUpIfFull();
    // What waits is stored also while nothing new can be taken.
    this.#storing.poke(nowMs);
    try {
      await this.#follow();
    } catch (error) {
      if (error instanceof LostTrack) await this.#forget();
      throw error;
    }
    this.#baseIfDue(nowMs);
    this.#storing.poke(nowMs);
  }

  async #follow(): Promise<void> {
    const follower = this.#follower ?? (await this.#begin());
    // A clock that was ahead: a restore to any moment until then would miss what comes now.
    if (Date.parse(this.#current().at) > systemClock.epochMs() + MOST_AHEAD_MS)
      throw new LostTrack('the clock was set back');
    await this.#take(follower);
    this.#taken = this.#begun;
    const keep = (news: WalNews): Promise<void> => this.#keep(news);
    // While the file is copied the log grows, and the process that copies takes it over.
    if (follower.isLong && !isBeingCopied(this.#path))
      await this.#parts.database.betweenCommits?.(() => follower.renew(keep));
  }

  /** Takes the last commits, of a database that this server has closed, and lets go of it. */
  async end(): Promise<void> {
    const follower = this.#follower;
    this.#follower = null;
    this.#basing?.over.abort();
    if (follower !== null) {
      const state = await follower.finish(
        (news) => this.#keep(news),
        () => fileState(this.#path),
      );
      const { position } = follower;
      const isClosed = state !== null && closedFile(this.#path) === state;
      this.#note({ position, closed: isClosed ? state : null });
    }
    // What cannot be stored waits for the next process.
    await Promise.race([
      this.#storing.flush(systemClock.monotonicMs()),
      sleep(LAST_STORE_MS, undefined, { ref: false }),
    ]);
  }

  async #begin(): Promise<WalFollower> {
    const { config, database, place, log } = this.#parts;
    const known = readStreamState(config);
    const mayContinue =
      known !== null && (await hasLog(place, known.log.id)) && (await mayGoOn(known, config, database));
    const before = mayContinue ? known : null;
    // Written, but not noted: it comes again.
    if (before !== null) this.#spool.dropAfter(before.log.id, before.number);
    const isSame = (): boolean =>
      typeof before?.closed === 'string' && before.closed === fileState(this.#path);
    const { follower, continues } = await WalFollower.open(this.#path, before?.position ?? null, isSame);
    try {
      const state =
        before !== null && continues
          ? before
          : await beginLog(config, database, place, systemClock.epochMs());
      this.#state = { ...state, position: follower.position, closed: null };
      if (before !== null && !continues)
        log.warn('the stream of backups begins anew: what was written while it was not followed is unknown');
      this.#note({});
      this.#spool.tidy(state.log.id);
      this.#follower = follower;
      return follower;
    } catch (error) {
      await follower.close();
      throw error;
    }
  }

  async #take(follower: WalFollower): Promise<void> {
    const news = await follower.look();
    if (news === null) return;
    try {
      await this.#keep(news);
    } catch (error) {
      follower.notTaken();
      throw error;
    }
    follower.taken(news);
  }

  /** Writes segments of what was committed, and notes them once they are on the disk. */
  async #keep(news: WalNews): Promise<void> {
    const state = this.#current();
    const { id, recipient } = state.log;
    let { number } = state;
    // A clock that was set back must not give an earlier moment to a later commit.
    const at = isoTime(Math.max(systemClock.epochMs(), Date.parse(state.at) + 1));
    const step = framesOf(news);
    try {
      for (let start = news.from.offset; start < news.to.offset; start += step) {
        const end = Math.min(start + step, news.to.offset);
        number += 1;
        const piece = { head: news.head, offset: start, frames: await news.read(start, end) };
        const segment = { number, at, endsTransaction: end === news.to.offset };
        await this.#spool.write(id, segment, await packSegment(piece, recipient));
      }
      this.#note({ number, at, position: news.to });
    } catch (error) {
      this.#spool.dropUnnoted();
      throw error;
    }
    this.#spool.noted();
  }

  /** Another process makes it; the log goes on meanwhile. */
  #baseIfDue(nowMs: number): void {
    const state = this.#current();
    const { base } = state;
    const isOld = base !== null && Date.parse(base.takenAt) + BASE_MS < systemClock.epochMs();
    const isDue = base === null || (isOld && base.number <= state.number);
    if (!isDue || this.#basing !== null || nowMs < this.#nextBaseMs) return;
    const over = new AbortController();
    const done = this.#makeBase(state, over.signal)
      .catch((err: unknown) => {
        if (over.signal.aborted) return;
        this.#nextBaseMs = systemClock.monotonicMs() + BASE_PAUSE_MS;
        this.#parts.log.error({ err }, 'the stream of backups has no copy of the database to begin with');
      })
      .finally(() => {
        this.#basing = null;
      });
    this.#basing = { over, done };
  }

  async #makeBase(state: StreamState, signal: AbortSignal): Promise<void> {
    const { config, database, place, log } = this.#parts;
    const from = { log: state.log, number: state.number + 1, position: state.position };
    const making = { signal, settled: () => this.#settled(signal) };
    const made = await makeBase(this.#path, config.dataDir, place, from, making);
    // Ended, or given up with its log.
    if (signal.aborted) return;
    const { number, takenAt, databaseBytes } = made;
    this.#note({ base: { number, takenAt } });
    log.info({ bytes: databaseBytes }, `a restore to any moment from ${takenAt} on is possible`);
    const { installation } = state.log;
    await pruneStream(place, { days: config.backup.keep.daily, nowMs: systemClock.epochMs(), installation });
    const pruning = { config, database, installation, withoutBackups: [], dryRun: false };
    await pruneStreamFiles(place, pruning).catch((err: unknown) =>
      log.error({ err }, 'files of the stream that no restore needs could not be deleted'),
    );
  }

  /** Waits for the first step that begins now or later. @throws Error when the stream ends first */
  async #settled(signal: AbortSignal): Promise<StreamState> {
    const next = this.#begun + 1;
    while (this.#taken < next) await sleep(SETTLED_MS, undefined, { ref: false, signal });
    signal.throwIfAborted();
    return this.#current();
  }

  /** A place that is away too long must not fill this disk: neither with segments, nor with a log that cannot end. */
  async #giveUpIfFull(): Promise<void> {
    const { config, log, place } = this.#parts;
    const { bytes } = this.#spool;
    const isShort = bytes > LEAST_WAITING_BYTES && freeBytes(config.dataDir) < LEAST_FREE_BYTES;
    if (bytes < MOST_WAITING_BYTES && !isShort) return;
    log.error(
      `the stream of backups is given up until ${place.display} can be reached: too much waits for it`,
    );
    await this.#forget();
    this.#spool.clear();
  }

  /** Another log begins with the next step. */
  async #forget(): Promise<void> {
    const follower = this.#follower;
    this.#follower = null;
    this.#basing?.over.abort();
    forgetStreamState(this.#parts.config);
    await follower?.close();
  }

  #current(): StreamState {
    if (this.#state === null) throw new Error('the stream has not begun');
    return this.#state;
  }

  #note(change: Partial<StreamState>): void {
    this.#state = { ...this.#current(), ...change };
    writeStreamState(this.#parts.config, this.#state);
  }
}

/** Bytes of whole frames that fit into a segment. */
function framesOf({ head }: WalNews): number {
  const frame = 24 + head.readUInt32BE(8);
  return Math.floor(SEGMENT_BYTES / frame) * frame;
}
